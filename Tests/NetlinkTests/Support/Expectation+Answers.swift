// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport
import POSIX

@testable import Netlink

extension Expectation {
  static let answers = [
    Expectation(
      "done",
      MessageHeader(length: 20, type: .done, flags: .multipart, sequence: 13, port: 2_596_897_310)
    ) { _ in .other(.done) },
    Expectation(
      "error-ack",
      MessageHeader(length: 36, type: .error, flags: .capped, sequence: 1, port: 3_675_031_666),
      Acknowledgement(error: nil, text: nil)),
    Expectation(
      "error-extended",
      MessageHeader(
        length: 68, type: .error, flags: [.capped, .errorAttributes], sequence: 2, port: 3_675_031_666),
      Acknowledgement(error: .networkUnreachable, text: "Nexthop has invalid gateway")),
    Expectation(
      "error-extended-offset",
      MessageHeader(
        length: 120, type: .error, flags: [.capped, .errorAttributes], sequence: 3, port: 3_675_031_666),
      Acknowledgement(error: Errno(rawValue: 34), text: "Attribute failed policy validation")),
    Expectation(
      "error-no-route",
      MessageHeader(length: 36, type: .error, flags: .capped, sequence: 4, port: 3_675_031_666),
      Acknowledgement(error: .networkUnreachable, text: nil)),
    Expectation(
      "error-request-echoed",
      MessageHeader(length: 56, type: .error, flags: [], sequence: 14, port: 2_596_897_310),
      Acknowledgement(error: .networkUnreachable, text: nil)),
  ]
}
#endif
