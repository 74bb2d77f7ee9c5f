#if os(Linux)
import Netlink

extension LinkMessage {
  /// Whether the message leaves out nearly all attributes of the link, as wireless events do.
  var isPartial: Bool { isWirelessEvent || operationalState == nil }

  /// The index of the link below, if that is in the same network namespace.
  var lowerHere: Int32? {
    guard lowerNamespace == nil, let lower = underlay ?? lower, lower > 0, lower != index else { return nil }
    switch kind {
    // A pair names its other end.
    case "veth", "netkit", "vxcan": return nil
    default: return lower
    }
  }

  /// Whether the link may be Wi-Fi, which rtnetlink does not tell.
  var mayBeWireless: Bool {
    guard isHardware, hardwareType == .ethernet || HardwareType.radios.contains(hardwareType) else {
      return false
    }
    // The virtual devices of a hypervisor are no radios, and most servers have no others.
    return !["virtio", "vmbus", "xen"].contains(parentBus)
  }

  /// Whether the link may be a modem or Bluetooth, which rtnetlink does not tell for some drivers.
  var mayBeModem: Bool {
    guard isHardware, hardwareType == .ethernet || hardwareType == .none else { return false }
    return parentBus == nil || parentBus == "usb"
  }

  /// Whether the link is a device of a kind that its message leaves open.
  private var isHardware: Bool { kind == nil && !flags.contains(.loopback) && !isBluetooth }

  /// Whether the parent is a Bluetooth connection, for example `hci0:256`.
  var isBluetooth: Bool { parentDevice?.hasPrefix("hci") == true && parentDevice?.contains(":") == true }
}
#endif
