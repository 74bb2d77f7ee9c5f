// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

@testable import Netlink

extension RouteClient {
  /// Looks up a list of requests.
  mutating func lookUp(
    _ requests: [RouteRequest], answer: (Int, Result<RouteMessage, Errno>) -> Void
  ) throws(NetlinkError) {
    try lookUp(requests.count) {
      requests[$0]
    } answer: { index, bytes, message throws(DecodingError) in
      answer(index, try message.lookup(of: bytes))
    }
  }
}
#endif
