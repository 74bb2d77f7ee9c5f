// SPDX-License-Identifier: Apache-2.0
/// A DNS query for a host's IPv4 address, which also checks whether a message answers it.
///
/// The format is that of RFC 1035, section 4.
struct NameQuestion: Sendable {
  /// The message to send.
  let bytes: [UInt8]

  /// Creates a query.
  ///
  /// - Parameter number: The identifier that matches an answer to its query; a random one prevents forged answers.
  init(_ name: ReachabilityTarget.HostName, number: UInt16 = .random(in: 0 ... .max)) {
    // The identifier, the bit for recursion (RD), and one question.
    var bytes: [UInt8] = [UInt8(number >> 8), UInt8(number & 0xff), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.text.split(separator: ".") {
      bytes.append(UInt8(label.utf8.count))
      bytes += label.utf8
    }
    // The root, then the type A and the class IN.
    self.bytes = bytes + [0, 0, 1, 0, 1]
  }

  /// Returns the code of a message (RCODE), or `nil` if it does not answer this query.
  func code(of answer: [UInt8]) -> UInt8? {
    // The same identifier, and the bit for answers (QR).
    guard answer.count >= 12, answer[0] == bytes[0], answer[1] == bytes[1], answer[2] & 0x80 != 0 else {
      return nil
    }
    // Servers that could not parse the query may omit the question.
    guard answer[4] | answer[5] > 0 else { return answer[3] & 0xf }
    let question = bytes[12...]
    guard answer[12...].prefix(question.count).map(Self.lowered) == question.map(Self.lowered) else {
      return nil
    }
    return answer[3] & 0xf
  }

  /// Letters of either case are equal (RFC 4343).
  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// The answer to the lookup of a name.
package enum NameAnswer: Equatable, Sendable {
  /// The addresses, in the resolver's order; never empty.
  case addresses([NamedAddress])
  /// The reason why there are no addresses.
  case failure(ReachabilityStatus.Reason)
}

extension NameAnswer {
  /// The part of the answer with the addresses of a family; all of it for `nil`.
  func limited(to family: ReachabilityAddress.Family?) -> NameAnswer {
    guard let family, case .addresses(let addresses) = self else { return self }
    let those = addresses.filter { $0.address.unmapped.family == family }
    return those.isEmpty ? .failure(.noAddressRecords) : .addresses(those)
  }

  /// The loopback addresses, to which `localhost` always resolves.
  static var loopback: NameAnswer {
    .addresses([NamedAddress("::1"), NamedAddress("127.0.0.1")])
  }

  /// Returns the answer that counts when a newer one arrives.
  ///
  /// Name servers rotate addresses. That is no change as long as the families keep their places.
  func replaced(by newer: NameAnswer) -> NameAnswer {
    guard case .addresses(let old) = self, case .addresses(let new) = newer, Set(old) == Set(new),
      old.map(\.address.bitWidth) == new.map(\.address.bitWidth)
    else { return newer }
    return self
  }

  /// Returns the targets whose statuses decide that of a host with this answer.
  func targets(for host: ReachabilityTarget) -> [ReachabilityTarget] {
    guard case .addresses(let addresses) = self else { return [] }
    return addresses.map { named in
      var target = host.constraining(.address(named.address.connected))
      target.interface = host.interface ?? named.zone.map { .index($0) }
      return target
    }
  }

  /// Evaluates a host by the results for its addresses, which are in the order of ``targets(for:)``.
  func evaluation(of statuses: [Evaluation]) -> Evaluation {
    switch self {
    // These do not concern the host.
    case .failure(let reason) where reason == .systemError || reason == .namesNotResolved:
      return Evaluation(.unknown(reason))
    case .failure(let reason):
      return Evaluation(.notReachable(reason))
    case .addresses(let addresses):
      // The earlier of two equally good ones: connections try it first.
      let best = statuses.indices.max {
        (statuses[$0].status.usefulness, $1) < (statuses[$1].status.usefulness, $0)
      }
      guard let best, statuses.count == addresses.count else {
        return Evaluation(.notReachable(.noAddressRecords))
      }
      var status = statuses[best].status
      status.addresses = zip(addresses, statuses).map {
        ReachabilityStatus.ResolvedAddress($0.address, zone: $0.zone, status: $1.status)
      }
      return Evaluation(status, lifetime: statuses.compactMap(\.lifetime).min())
    }
  }
}

/// One address of a name.
package struct NamedAddress: Hashable, Sendable {
  package var address: ReachabilityAddress
  /// The index of the interface that the resolver gave for a link-local address.
  var zone: Int?

  init(_ address: ReachabilityAddress, zone: Int? = nil) {
    self.address = address
    self.zone = zone
  }
}
