// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport

/// Why some tests cannot run on this machine.
package struct SkipReason: Error, Hashable, CustomStringConvertible {
  /// The reason, as in the lines of the skipped tests.
  package let description: String
  /// Whether `scripts/test` removes it by installing a package.
  package let isPackage: Bool

  /// A reason that no package removes.
  package init(_ reason: String) { (description, isPackage) = (reason, false) }

  /// A program, or another part of a package, that is not installed.
  package init(missing name: String) { (description, isPackage) = ("\(name) is not installed", true) }

  /// Returns a reason unless a shell command succeeds in a new network namespace.
  package static func unless(_ command: String, _ reason: String) -> SkipReason? {
    (try? NetworkNamespace().shell(command).status) == 0 ? nil : SkipReason(reason)
  }

  /// Returns a reason for the first program that is not installed; a name is looked up where ``NetworkNamespace`` does.
  package static func withoutPrograms(_ names: String...) -> SkipReason? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let folders: [Substring] = path.split(separator: ":") + ["/usr/sbin", "/sbin"]
    return names.first { name in
      let paths = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
      return !paths.contains(where: FileManager.default.isExecutableFile)
    }.map { SkipReason(missing: $0) }
  }

  /// Why tests cannot have their own networks, or `nil` if they can.
  package static let withoutNamespaces =
    withoutPrograms("ip") ?? NetworkNamespace.unavailable.map { SkipReason($0) }
}
#endif
