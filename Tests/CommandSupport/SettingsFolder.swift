// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import RequirementSupport

/// A folder that commands see as `/etc`, with the settings of the resolver.
package struct SettingsFolder: Sendable {
  package let path: String

  /// Creates the folder, in which names come from `hosts` and then from DNS.
  package init(_ path: String, hosts: String = "") throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in ["ld.so.cache", "localtime"] {
      try? FileManager.default.copyItem(atPath: "/etc/\(name)", toPath: "\(path)/\(name)")
    }
    try write("nsswitch.conf", "hosts: files dns\n")
    try write("hosts", "127.0.0.1 localhost\n" + hosts)
  }

  /// Writes a file of the folder.
  package func write(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Returns a shell command that starts `"$@"` with the folder as its `/etc`.
  ///
  /// - Parameter prefix: Shell commands to run before, in the same process.
  package func mounted(_ prefix: String = "") -> String {
    #"exec unshare --mount sh -c 'mount --bind "$0" /etc && \#(prefix)exec "$@"' '\#(path)' "$@""#
  }

  /// The reason why no such folder can be mounted, or `nil`.
  package static let skipReason =
    SkipReason.withoutNamespaces
    ?? SkipReason.unless(
      "unshare --mount mount --bind /tmp /etc", "no file can be mounted over /etc for one command alone")
}
#endif
