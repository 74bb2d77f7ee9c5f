// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import POSIX
import Synchronization

/// The files in which systemd-networkd keeps the state of the links that it configures.
///
/// Since systemd 254 they have the address of the network's captive portal API, from DHCP or router advertisements (RFC 8910). The kernel
/// does not have it there: networkd reads the advertisements itself.
final class NetworkdLinks: Sendable {
  /// The folder, with a file for each link, whose name is the link's index.
  static let machineFolder = "/run/systemd/netif/links"

  private let folder: String
  /// Whether networkd's links are those of this network namespace; called once at most.
  private let isOfThisNetwork: @Sendable () -> Bool
  private let isKnown = Mutex<Bool?>(nil)

  init(_ folder: String = machineFolder, isOfThisNetwork: @escaping @Sendable () -> Bool) {
    self.folder = folder
    self.isOfThisNetwork = isOfThisNetwork
  }

  /// Files about the links of the network namespace of a netlink socket, if process 1 is in that namespace.
  ///
  /// The files have the links' indexes and nothing that tells the network, and networkd runs where process 1 does: on the machine, and in
  /// a container that boots an init system of its own.
  convenience init(_ folder: String, ofNetworkOf socket: CInt) {
    var information = stat()
    let isKnown = unsafe fstat(socket, &information) == 0
    let number = UInt64(information.st_ino)
    self.init(folder) { isKnown && NamespaceProbe.isSocket(number, inNamespaceOfProcess: 1) }
  }

  /// Adds addresses to the interfaces of a path that have none.
  func addPortals(to evaluation: inout PathEvaluation) {
    for place in evaluation.path.interfaces.indices
    where evaluation.path.interfaces[place].captivePortalAPI == nil {
      let index = evaluation.path.interfaces[place].interface.index
      evaluation.path.interfaces[place].captivePortalAPI = portal(ofLink: index)
    }
  }

  /// The address for a link; `nil` if there is none, or it does not count.
  private func portal(ofLink index: Int) -> String? {
    guard let file = try? SystemFile.contents(of: "\(folder)/\(index)", upTo: 1 << 16),
      let value = Self.portal(in: file), let address = PortalAddress.text(value)
    else { return nil }
    // Known only from here on, since it costs more than a file, and few networks announce an address.
    let isOurs = isKnown.withLock { known in
      let answer = known ?? isOfThisNetwork()
      known = answer
      return answer
    }
    return isOurs ? address : nil
  }

  /// The value of `CAPTIVE_PORTAL` in a file; the last one counts.
  static func portal(in file: [UInt8]) -> ArraySlice<UInt8>? {
    let name = Array("CAPTIVE_PORTAL=".utf8)
    guard let line = file.split(separator: UInt8(ascii: "\n")).last(where: { $0.starts(with: name) }) else {
      return nil
    }
    let value = line.dropFirst(name.count)
    // Values with characters that a shell would change are quoted; no address that counts has a quote at both ends.
    let quote = UInt8(ascii: "\"")
    return value.count >= 2 && value.first == quote && value.last == quote
      ? value.dropFirst().dropLast() : value
  }
}
#endif
