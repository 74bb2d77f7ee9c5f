import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SystemTransport {
  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer {
    #if canImport(Glibc)
    if !monitor.canLookUp, let url = request.url,
      case .host = ReachabilityTarget(ofRequestsTo: url)?.destination
    {
      throw NoAnswer(
        .notConnected(.init(.name, text: ReachabilityStatus.Reason.namesNotResolved.description)))
    }
    let exchange = try CurlTransfer(request, bodyLimit: bodyLimit, timeout: timeout, over: monitor)
    #else
    guard request.url?.isForBrowsers == true else { throw URLError(.unsupportedURL) }
    let exchange = Exchange(bodyLimit: bodyLimit, timeout: timeout)
    #endif
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        #if canImport(Glibc)
        exchange.start(continuation)
        #else
        exchange.start(request, continuation)
        #endif
      }
    } onCancel: {
      exchange.end(.failure(CancellationError()))
    }
  }
}
