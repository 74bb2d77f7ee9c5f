#if os(Linux)
import Netlink

extension RuleMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(destinationLength)
    encoder.append(sourceLength)
    encoder.append(typeOfService)
    encoder.appendTable(table)
    encoder.appendZeros(2)
    encoder.append(action.rawValue)
    encoder.append(flags)
    encoder.attribute(RuleAttribute.table, integer: table)
    if let priority { encoder.attribute(RuleAttribute.priority, integer: priority) }
    if let jumpTarget { encoder.attribute(RuleAttribute.jumpTarget, integer: jumpTarget) }
    if let destination { encoder.attribute(RuleAttribute.destination, address: destination) }
    if let source { encoder.attribute(RuleAttribute.source, address: source) }
    if let mark { encoder.attribute(RuleAttribute.mark, integer: mark) }
    if let markMask { encoder.attribute(RuleAttribute.markMask, integer: markMask) }
    if let inputInterface { encoder.attribute(RuleAttribute.inputInterface, name: inputInterface) }
    if let outputInterface { encoder.attribute(RuleAttribute.outputInterface, name: outputInterface) }
    if let suppressedPrefixLength {
      encoder.attribute(RuleAttribute.suppressedPrefixLength, integer: suppressedPrefixLength)
    }
    if let suppressedGroup {
      encoder.attribute(RuleAttribute.suppressedGroup, integer: suppressedGroup)
    }
    if let routingDomain { encoder.attribute(RuleAttribute.routingDomain, integer: routingDomain) }
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
    if let sourcePortMask { encoder.attribute(RuleAttribute.sourcePortMask, integer: sourcePortMask) }
    if let destinationPortMask {
      encoder.attribute(RuleAttribute.destinationPortMask, integer: destinationPortMask)
    }
    encoder.append(unknown)
  }
}
#endif
