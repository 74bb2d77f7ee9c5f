// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// A target, with its text on the command line without secrets.
package struct NamedTarget: Equatable, Sendable {
  package var text: String
  package var target: ReachabilityTarget

  package init(text: String, target: ReachabilityTarget) {
    (self.text, self.target) = (text, target)
  }
}

extension Option {
  package static let interface = Option(
    "interface",
    takes: Value(
      "NAME", "an interface name, for example eth0, or an interface index", completion: .interfaces),
    "only through this interface: any of its names, or its index; it may appear and disappear",
    detail: "A name that is not valid UTF-8 cannot be given; give the index instead.")

  /// What decides which packets a status is about.
  package static let constraints = [interface, from, mark]
}

extension ParsedOptions {
  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, a host name, a URL, "
    + "or 'default'"

  /// Reads the targets, and gives each the constraints of the options; without one, the default route is the target.
  package func targets() throws(UsageError) -> [NamedTarget] {
    let source = try value(.from) { ReachabilityAddress($0) }
    let mark = try value(.mark, UInt32.init(markText:))
    let interface = try value(.interface, argument: { ReachabilityTarget.Interface(bytes: $0.bytes) })
    var targets: [NamedTarget] = []
    var problems: [String] = []
    for argument in arguments.isEmpty ? [Argument("default")] : arguments {
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
    guard problems.isEmpty else { throw UsageError(problems, hint: "give \(Self.targetForms)") }
    return targets
  }
}
