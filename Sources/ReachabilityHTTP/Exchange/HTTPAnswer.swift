import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP answer with the part of its body that was read.
package struct HTTPAnswer: Sendable {
  package var response: HTTPURLResponse
  package var body: Data

  package init(_ response: HTTPURLResponse, body: Data = Data()) {
    self.response = response
    self.body = body
  }
}
