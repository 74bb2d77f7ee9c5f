// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import Testing

@testable import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests by `URLSession`, which verify endpoints where libcurl's functions cannot be called.
@Suite(.deadline) struct SessionExchangeTests {
  private func end(of exchange: SessionExchange) async throws -> HTTPAnswer {
    // Foundation itself answers, so nothing is sent.
    let request = URLRequest(url: try #require(URL(string: "data:text/plain,hello")))
    return try await withCheckedThrowingContinuation { exchange.start(request, $0) }
  }

  @Test func `an answer without a status is no answer`() async throws {
    let exchange = SessionExchange(bodyLimit: 100, timeout: .seconds(60))
    let error = await #expect(throws: URLError.self) { try await end(of: exchange) }
    #expect(error?.code == .badServerResponse)
  }

  @Test func `a request that has ended before it begins is not made`() async throws {
    let exchange = SessionExchange(bodyLimit: 100, timeout: .seconds(60))
    exchange.finish(.failure(CancellationError()))
    exchange.finish(.failure(URLError(.unknown)))
    await #expect(throws: CancellationError.self) { try await end(of: exchange) }
  }

  @Test func `a session for verifications keeps nothing and sends nothing that was kept`() {
    let configuration = URLSessionConfiguration.memoryless
    #expect(configuration.urlCache == nil && configuration.urlCredentialStorage == nil)
    #expect(configuration.requestCachePolicy == .reloadIgnoringLocalAndRemoteCacheData)
    #expect(configuration.httpCookieStorage == nil && configuration.httpCookieAcceptPolicy == .never)
    #expect(!configuration.httpShouldSetCookies)
  }
}
