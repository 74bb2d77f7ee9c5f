// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// The outer header that a tunnel puts in front of each packet, as far as its link message fixes it.
package struct TunnelHeader: Equatable, Sendable {
  package var remote: ReachabilityAddress
  package var local: ReachabilityAddress?
  /// The index of the link that the outer packets must leave by.
  package var lower: Int32?
  package var mark: UInt32?
  /// The UDP port of the remote, for the kinds that use UDP.
  package var port: UInt16?
}

extension LinkMessage {
  /// The outer header of a tunnel's packets.
  ///
  /// `nil` for other links, and where no one header is fixed: no remote, a multicast group, a remote per packet
  /// (`external`), an endpoint that the message does not have (WireGuard), or outer packets in another namespace.
  package var tunnelHeader: TunnelHeader? {
    guard let kindData, let layout = kind.flatMap(TunnelLayout.init(kind:)), lowerNamespace == nil else {
      return nil
    }
    let bytes = RawSpan(_elements: kindData.span)
    var attributes = AttributeReader(in: 0..<bytes.byteCount)
    var header = TunnelHeader(remote: ReachabilityAddress.v4(.init(rawValue: 0)))
    var isExternal = false
    do throws(DecodingError) {
      while let attribute = try attributes.next(bytes) {
        switch attribute.type {
        case layout.remote, layout.remote6: header.remote = try bytes.address(in: attribute.value)
        case layout.local, layout.local6: header.local = try bytes.address(in: attribute.value)
        case layout.lower: header.lower = try bytes.integer(in: attribute.value)
        case layout.mark: header.mark = try bytes.integer(in: attribute.value)
        case layout.port: header.port = UInt16(bigEndian: try bytes.integer(in: attribute.value))
        // Some kinds have it as a flag, and others as a number.
        case layout.external:
          let number: UInt8 = attribute.value.isEmpty ? 1 : try bytes.integer(in: attribute.value)
          isExternal = number != 0
        default: continue
        }
      }
    } catch {
      // Undecodable private data does not invalidate the message.
      return nil
    }
    guard !isExternal, !header.remote.isUnspecified, !header.remote.isMulticast else { return nil }
    if header.local?.isUnspecified == true || header.local?.bitWidth != header.remote.bitWidth {
      header.local = nil
    }
    if header.lower == 0 { header.lower = nil }
    if header.mark == 0 { header.mark = nil }
    if layout.port == nil { header.port = nil }
    return header
  }
}

/// The numbers of the attributes in the `IFLA_INFO_DATA` of a kind of tunnel.
private struct TunnelLayout {
  var remote: UInt16
  var remote6: UInt16?
  var local: UInt16?
  var local6: UInt16?
  var lower: UInt16?
  var mark: UInt16?
  var port: UInt16?
  var external: UInt16?

  init?(kind: String) {
    switch kind {
    // IFLA_GRE_….
    case "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan":
      self.init(remote: 7, local: 6, lower: 1, mark: 20, external: 18)
    // IFLA_IPTUN_….
    case "ipip", "sit", "ip6tnl":
      self.init(remote: 3, local: 2, lower: 1, mark: 20, external: 19)
    // IFLA_VTI_….
    case "vti", "vti6":
      self.init(remote: 5, local: 4, lower: 1, mark: 6)
    // IFLA_VXLAN_….
    case "vxlan":
      self.init(remote: 2, remote6: 16, local: 4, local6: 17, lower: 3, port: 15, external: 25)
    // IFLA_GENEVE_….
    case "geneve":
      self.init(remote: 2, remote6: 7, port: 5, external: 6)
    default: return nil
    }
  }

  private init(
    remote: UInt16, remote6: UInt16? = nil, local: UInt16? = nil, local6: UInt16? = nil, lower: UInt16? = nil,
    mark: UInt16? = nil, port: UInt16? = nil, external: UInt16? = nil
  ) {
    self.remote = remote
    self.remote6 = remote6
    self.local = local
    self.local6 = local6
    self.lower = lower
    self.mark = mark
    self.port = port
    self.external = external
  }
}
#endif
