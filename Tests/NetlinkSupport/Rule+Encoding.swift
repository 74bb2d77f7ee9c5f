// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

extension Rule {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(UInt8(destination?.length ?? 0))
    encoder.append(UInt8(source?.length ?? 0))
    encoder.append(typeOfService)
    encoder.appendTable(table)
    encoder.appendZeros(2)
    encoder.append(action.number)
    encoder.append(flags)
    encoder.attribute(RuleAttribute.table, integer: table)
    if priority != 0 { encoder.attribute(RuleAttribute.priority, integer: priority) }
    if case .jump(let target) = action { encoder.attribute(RuleAttribute.jumpTarget, integer: target) }
    if let destination { encoder.attribute(RuleAttribute.destination, address: destination.address) }
    if let source { encoder.attribute(RuleAttribute.source, address: source.address) }
    if let mark {
      encoder.attribute(RuleAttribute.mark, integer: mark)
      encoder.attribute(RuleAttribute.markMask, integer: markMask)
    }
    if let inputInterface { encoder.attribute(RuleAttribute.inputInterface, name: inputInterface) }
    if let outputInterface { encoder.attribute(RuleAttribute.outputInterface, name: outputInterface) }
    if let suppressedPrefixLength {
      encoder.attribute(RuleAttribute.suppressedPrefixLength, integer: suppressedPrefixLength)
    }
    if let suppressedGroup {
      encoder.attribute(RuleAttribute.suppressedGroup, integer: suppressedGroup)
    }
    if matchesRoutingDomains { encoder.attribute(RuleAttribute.routingDomain, integer: UInt8(1)) }
    if let userIDs {
      encoder.attribute(RuleAttribute.userIDs) {
        $0.append(userIDs.first)
        $0.append(userIDs.last)
      }
    }
    if let protocolNumber { encoder.attribute(RuleAttribute.protocolNumber, integer: protocolNumber) }
    for (type, ports) in [
      (RuleAttribute.sourcePorts, sourcePorts), (RuleAttribute.destinationPorts, destinationPorts),
    ] {
      guard let ports else { continue }
      encoder.attribute(type) {
        $0.append(ports.lowerBound)
        $0.append(ports.upperBound)
      }
    }
    if sourcePortMask != 0 { encoder.attribute(RuleAttribute.sourcePortMask, integer: sourcePortMask) }
    if destinationPortMask != 0 {
      encoder.attribute(RuleAttribute.destinationPortMask, integer: destinationPortMask)
    }
    // Any number that no kernel uses.
    if hasUnknownSelectors { encoder.attribute(0x3fff, bytes: []) }
  }
}

extension Rule {
  fileprivate var table: UInt32 { if case .lookUp(let table) = action { table } else { 0 } }
}

extension Rule.Action {
  /// The number in the message, `FR_ACT_…`.
  fileprivate var number: UInt8 {
    switch self {
    case .lookUp: 1
    case .jump: 2
    case .none: 3
    case .refuse(.blackhole): 6
    case .refuse(.unreachable): 7
    case .refuse(.prohibit): 8
    case .other(let number): number
    }
  }
}
#endif
