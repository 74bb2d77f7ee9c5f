import CommandLineSupport
import ReachabilityKit

extension Invocation {
  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, a host name, a URL, "
    + "or 'default'"

  /// Reads the targets, and gives each the constraints of the options.
  static func targets(_ arguments: [Argument], _ parsed: ParsedOptions) throws(UsageError) -> [NamedTarget] {
    let source = try parsed.value("from") { IPAddress($0) }
    let mark = try parsed.value("mark", UInt32.init(markText:))
    let interface = try parsed.value("interface", argument: { ReachabilityTarget.Interface(bytes: $0.bytes) })
    var targets: [NamedTarget] = []
    var problems: [String] = []
    for argument in arguments {
      let shown = argument.text.withoutSecrets
      do throws(ReachabilityTargetError) {
        var target = try ReachabilityTarget(bytes: argument.bytes)
        target.mark = mark
        target.source = source
        if let zone = target.interface, let interface, zone != interface {
          problems.append("the zone of '\(shown)' differs from --interface \(interface)")
        }
        target.interface = target.interface ?? interface
        if case .address(let address) = target.destination, let from = target.source,
          from.bitWidth != address.bitWidth
        {
          problems.append("'\(shown)' and --from \(from) have different address families")
        }
        targets.append(NamedTarget(text: shown, target: target))
      } catch {
        problems.append(error.description)
      }
    }
    guard problems.isEmpty else { throw UsageError(problems, hint: "give \(targetForms)") }
    return targets
  }
}

extension UInt32 {
  /// Reads a firewall mark: a decimal number, or a hexadecimal one after `0x`.
  fileprivate init?(markText text: String) {
    if text.hasPrefix("0x") {
      guard text.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
      self.init(text.dropFirst(2), radix: 16)
    } else {
      self.init(digits: text)
    }
  }
}
