// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationNetworking)
import DeadlineSupport
import Foundation
import FoundationNetworking
import Testing

@testable import ReachabilityHTTP

@Suite(.deadline) struct URLErrorTests {
  @Test(arguments: [
    ("Could not resolve host: a.test", true), ("Failed to connect to a.test port 80", true),
    ("Recv failure: Connection reset by peer", false),
    ("The server said: Could not resolve host: a.test", false), ("", false),
  ])
  func `only the beginning of libcurl's text proves that no connection was made`(text: String, proves: Bool) {
    let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
    #expect(error.provesNoConnection == proves)
  }
}
#endif
