// SPDX-License-Identifier: Apache-2.0
import Netlink
import POSIX

/// An IPv6 address of a link that the kernel uses.
struct UsedAddress: Hashable, Sendable {
  private let link: Int32
  private let address: [UInt8]
  /// When it was added: an address that is removed and added again is another one.
  private let time: [UInt8]

  /// - Returns: `nil` where the kernel does not use the address, since its link carries no packets or it is not checked yet.
  fileprivate init?(_ object: KernelObject, among links: [KernelObject]) {
    // IFA_F_TENTATIVE; IFA_LOCAL where there is a peer, else IFA_ADDRESS.
    guard object.isOfReadyLink(among: links), object.addressFlags & 0x40 == 0,
      let address = object[2] ?? object[1]
    else { return nil }
    (link, self.address) = (object.index, address)
    // The cstamp of ifa_cacheinfo.
    time = Array((object[6] ?? []).dropFirst(8).prefix(4))
  }

  /// Whether a route is that to the address.
  fileprivate func isDestination(of route: KernelObject) -> Bool {
    // RTN_LOCAL.
    route.fixed[7] == 2 && route[RouteAttribute.destination] == address
      && route.number(RouteAttribute.outputInterface) == link
  }
}

extension NetworkCopy {
  /// Waits until the kernel uses new IPv6 addresses, at most 10 seconds: it checks them for duplicates, by default within two
  /// seconds, or more on a busy machine, and adds their local routes beside, also of those that it does not check.
  mutating func awaitAddresses() {
    let deadline = Moment.now.advanced(by: .seconds(10))
    while let addresses = try? NetworkSnapshot.addresses(over: &near),
      let links = try? NetworkSnapshot.links(over: &near)
    {
      let new = Set(addresses.compactMap { UsedAddress($0, among: links) }).subtracting(usedAddresses)
      // A table of the whole Internet is not listed without need.
      if !new.isEmpty, let routes = try? NetworkSnapshot.kernelRoutes(over: &near) {
        usedAddresses.formUnion(new.filter { routes.contains(where: $0.isDestination) })
      }
      guard !areUsed(addresses, among: links), Moment.now < deadline else { return }
      Cell.pause(milliseconds: 5)
    }
  }

  /// Whether no address is checked for duplicates, and all were seen in use.
  func areUsed(_ addresses: [KernelObject], among links: [KernelObject]) -> Bool {
    addresses.allSatisfy { address in
      !address.isBeingChecked(among: links)
        && UsedAddress(address, among: links).map(usedAddresses.contains) ?? true
    }
  }
}

extension KernelObject {
  /// Whether an IPv6 address is checked for duplicates at the moment, which ends by itself.
  ///
  /// The check begins when the link is ready, `netif_oper_up()`.
  func isBeingChecked(among links: [KernelObject]) -> Bool {
    // IFA_F_TENTATIVE without IFA_F_DADFAILED.
    isOfReadyLink(among: links) && addressFlags & (0x40 | 0x8) == 0x40
  }

  /// Whether this is an IPv6 address of a link that carries packets.
  fileprivate func isOfReadyLink(among links: [KernelObject]) -> Bool {
    guard fixed[0] == AddressFamily.ipv6.rawValue, let link = links.first(where: { $0.index == index }),
      link.integer(UInt32.self, at: 8) & LinkPlan.up != 0
    else { return false }
    // IF_OPER_UNKNOWN, IF_OPER_UP.
    return [0, 6].contains(link[LinkAttribute.operationalState]?.first)
  }
}
