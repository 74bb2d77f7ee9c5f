import Foundation

extension SCNetworkReachability: CustomStringConvertible {
  /// The target in the form of Apple's descriptions, such as `<SCNetworkReachability 0x… [0x…]> {name = example.com}`.
  public var description: String {
    let (reading, isResolving) = state.withLock { ($0.machine.reading, $0.machine.isResolving) }
    var text = subject.label
    if case .address = subject.kind {
    } else if reading != nil {
      let addresses = reading.map(\.addresses) ?? []
      let found = addresses.isEmpty ? "no addresses" : addresses.joined(separator: ", ")
      text += isResolving ? " (DNS query active)" : " (complete, \(found))"
    }
    if let reading {
      let flags = String(reading.flags?.rawValue ?? 0, radix: 16)
      let digits = String(repeating: "0", count: 8 - flags.count) + flags
      text += ", flags = 0x\(digits), if_index = \(reading.interface)"
    }
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    let allocator = kCFAllocatorSystemDefault.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
    return "<SCNetworkReachability 0x\(address) [0x\(String(allocator, radix: 16))]> {\(text)}"
  }
}
