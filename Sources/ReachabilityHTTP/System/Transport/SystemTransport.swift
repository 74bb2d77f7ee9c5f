// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests from this machine, in the network of a monitor.
struct SystemTransport: VerificationTransport {
  let monitor: ReachabilityMonitor

  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
  {
    try await monitor.connect(to: target, port: port, timeout: timeout)
  }

  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer {
    #if canImport(Glibc)
    let looksUpName = request.url.map(ProxySettings.current.looksUpName(for:)) ?? false
    if looksUpName, !monitor.canLookUp {
      throw NoAnswer(
        .notConnected(.init(.name, text: ReachabilityStatus.Reason.namesNotResolved.description)))
    }
    let exchange = try CurlTransfer(
      request, bodyLimit: bodyLimit, timeout: timeout, over: monitor, lookingUpName: looksUpName)
    if looksUpName { try await CurlTransfer.enterLookup() }
    #else
    guard request.url?.isForBrowsers == true else { throw URLError(.unsupportedURL) }
    let exchange = SessionExchange(bodyLimit: bodyLimit, timeout: timeout)
    #endif
    let deadline = ContinuousClock.now + timeout.boundedForClocks
    guard let answer = try await withDeadline(deadline, { try await self.end(of: exchange, for: request) })
    else {
      throw NoAnswer(.timedOut)
    }
    return answer
  }

  #if canImport(Glibc)
  private typealias Exchange = CurlTransfer
  #else
  private typealias Exchange = SessionExchange
  #endif

  private func end(of exchange: Exchange, for request: URLRequest) async throws -> HTTPAnswer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        #if canImport(Glibc)
        exchange.start(continuation)
        #else
        exchange.start(request, continuation)
        #endif
      }
    } onCancel: {
      exchange.finish(.failure(CancellationError()))
    }
  }
}
