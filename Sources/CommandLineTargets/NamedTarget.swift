// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// A target, with its text on the command line without secrets.
package struct NamedTarget: Equatable, Sendable {
  package var text: String
  package var target: ReachabilityTarget
}

extension Option {
  package static let interface = Option(
    "interface",
    takes: Value(
      "NAME", "an interface name, for example eth0, or an interface index", completion: .interfaces),
    "only through this interface: any of its names, or its index; it may appear and disappear",
    detail: "A name that is not valid UTF-8 cannot be given; give the index instead.")

  /// What decides which packets a status is about.
  package static let constraints = [interface, from, mark, ipv4, ipv6]
}

extension ParsedOptions {
  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, a host name, a URL, "
    + "or 'default'"

  /// Reads the address family that the command is about; `nil` for both.
  package func family() throws(UsageError) -> ReachabilityAddress.Family? {
    guard has(.ipv4), has(.ipv6) else { return has(.ipv4) ? .v4 : has(.ipv6) ? .v6 : nil }
    throw UsageError(
      "--ipv4 does not fit --ipv6", hint: "remove both: without them the command is about both families")
  }

  /// Reads the targets, and gives each the constraints of the options; without one, the default route is the target.
  package func targets() throws(UsageError) -> [NamedTarget] {
    let source = try value(.from) { ReachabilityAddress($0) }
    let mark = try value(.mark, UInt32.init(markText:))
    let family = try family()
    let interface = try value(.interface, argument: { ReachabilityTarget.Interface(bytes: $0.bytes) })
    var targets: [NamedTarget] = []
    var problems: [String] = []
    // What is no address of the family that was asked for.
    var others = [source].compactMap(\.self).filter { family ?? $0.family != $0.family }.map {
      "--from \($0)"
    }
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
        if case .address(let address) = target.destination {
          if let from = target.source, from.bitWidth != address.bitWidth {
            problems.append("'\(shown)' and --from \(from) have different address families")
          }
          if family ?? address.family != address.family { others.append("'\(shown)'") }
        } else if let family, let address = ReachabilityAddress(argument.text), address.family != family {
          others.append("'\(shown)'")
        } else {
          target.family = family
        }
        targets.append(NamedTarget(text: shown, target: target))
      } catch {
        problems.append(error.description)
      }
    }
    if let family, !others.isEmpty {
      throw UsageError(
        others.map { "\($0) is no \(family) address" },
        hint: "give \(family) addresses, or remove --\(family == .v4 ? "ipv4" : "ipv6")")
    }
    guard problems.isEmpty else { throw UsageError(problems, hint: "give \(Self.targetForms)") }
    return targets
  }
}
