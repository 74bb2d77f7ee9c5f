import Foundation
import ReachabilityKit

/// Tells a target's flags as they are now.
///
/// It never waits for a network. A name that is not scheduled is not looked up: its flags are those of the default path,
/// since it may well be there. While a target is scheduled, these are the flags that its callback knows of too.
///
/// - Parameters:
///   - target: What the flags are about.
///   - flags: Where they go.
/// - Returns: `true`, also if the target is not reachable, which the flags say. `false`, with the status
///   `kSCStatusReachabilityUnknown`, only if the kernel refuses to be asked.
///
/// The Apple symbol is `SCNetworkReachabilityGetFlags`.
@discardableResult
public func SCNetworkReachabilityGetFlags(
  _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
  guard let read = target.readFlags() else { return fail(kSCStatusReachabilityUnknown) }
  unsafe flags.pointee = read
  return true
}

extension SCNetworkReachability {
  fileprivate func readFlags() -> SCNetworkReachabilityFlags? {
    let known = state.withLock { state -> SCNetworkReachabilityFlags?? in
      state.schedule == nil ? nil : .some(state.machine.readFlags())
    }
    if let known { return known }
    return currentMonitor().flatMap {
      subject.unscheduledReading($0.status(of: subject.unscheduledTarget)).flags
    }
  }
}

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
