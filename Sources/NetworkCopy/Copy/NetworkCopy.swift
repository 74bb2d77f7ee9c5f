// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX

/// A network in the first namespace of a cell, built from the messages of another one, and what it lacks.
///
/// Virtual cables stand for most links; their other ends are in the second namespace, where the carrier of each is switched.
/// The kernel gives the copy its own routes when links come up; they are replaced, so that routes of equal preference have the
/// order of the original.
package struct NetworkCopy: ~Copyable, Sendable {
  package var gaps: [CopyGap] = []
  /// The links of other kinds that are cables nonetheless.
  var standIns: Set<Int32> = []
  /// The indexes of the links that have others in the copy.
  package let indexes: [Int32: Int32]
  /// Whether the original has a default route that a router has advertised.
  package let hasAdvertisedDefault: Bool
  /// The IPv6 addresses that the kernel was seen to use.
  var usedAddresses: Set<UsedAddress> = []
  /// The links that the namespace has by itself: tunnel modules make some in each.
  var ready: Set<Int32> = []
  let cell: Cell
  var near: Conversation
  var far: Conversation

  /// Builds the copy.
  ///
  /// - Throws: If the cell has no more sockets; what the kernel refuses is a gap.
  package init(of network: NetworkSnapshot, in cell: Cell) throws(CellFailure) {
    let socket = try cell.takeSocket()
    self.cell = cell
    near = Conversation(over: socket, bufferSize: 1 << 16)
    far = Conversation(over: cell.far)
    let present = (try? NetworkSnapshot.links(over: &near)) ?? []
    indexes = LinkPlan.indexes(of: network.links, besides: present)
    hasAdvertisedDefault = network.hasAdvertisedDefault
    let original = network.renumbered(indexes)
    let links = LinkPlan.order(original.links)
    makeRoom(for: links, among: present)
    ready = Set(present.map(\.index))
    for link in links {
      if ready.contains(link.index) { prepare(link) } else { add(link, of: original.links) }
    }
    change(RoutingSettings.current(for: original.links.compactMap(\.linkName)))
    for link in links { join(link) }
    add(addresses: original.addresses)
    turnUp(original.links)
    awaitStates(of: original.links)
    copyTables(of: original)
    for link in links { restoreAddressGeneration(of: link) }
    // A copy whose addresses are not in use yet lacks their routes.
    awaitAddresses()
    compareKernelRoutes(with: original)
  }

  private mutating func change(_ settings: [(path: String, value: String)]) {
    do throws(CellFailure) {
      gaps += try cell.change(settings).map {
        CopyGap(kind: .setting, name: $0, reason: "the kernel refused the value")
      }
    } catch {
      gaps.append(CopyGap(kind: .setting, name: "below /proc/sys/net", reason: error.text))
    }
  }

  /// Waits until the kernel has done what follows from the last changes of links.
  package mutating func settle() {
    guard let links = try? NetworkSnapshot.links(over: &near) else { return }
    let names = links.compactMap(\.linkName)
    cell.synchronizeLinks(names)
    if links.contains(where: { $0.linkKind == "bond" }) {
      // A bond looks at its ports every 100 ms, as most are configured.
      Cell.pause(milliseconds: 300)
      cell.synchronizeLinks(names)
    }
    awaitAddresses()
  }
}

extension NetworkCopy {
  /// Sends a request to the copy; returns why it was refused.
  mutating func request(
    _ type: MessageType, _ flags: MessageFlags, with object: KernelObject
  ) -> String? {
    request(type, flags) { object.encode(into: &$0) }
  }

  mutating func request(
    _ type: MessageType, _ flags: MessageFlags, encode: (inout MessageEncoder) -> Void
  ) -> String? {
    Self.refusal(of: &near, type, flags, encode: encode)
  }

  /// Sends a request to the namespace with the other ends of the cables.
  mutating func requestFar(_ type: MessageType, with object: KernelObject) -> String? {
    Self.refusal(of: &far, type, []) { object.encode(into: &$0) }
  }

  private static func refusal(
    of conversation: inout Conversation, _ type: MessageType, _ flags: MessageFlags,
    encode: (inout MessageEncoder) -> Void
  ) -> String? {
    do throws(NetlinkError) {
      try conversation.acknowledged("change the copy", type: type, flags: flags, encode: encode)
      return nil
    } catch {
      return error.cause
    }
  }
}
