// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport

/// A program that says whether the network is usable.
struct Competitor: Sendable {
  /// The name of its adapter.
  let name: String
  /// How it is called in the table.
  let title: String
  private let path: String
  /// Whether the adapter speaks the adapters' language; the command itself does not.
  private let isAdapter: Bool
  let version: String
  /// How long it must have reported nothing before its answer counts, in milliseconds; the kernel of the far end may
  /// take a second to notice a carrier.
  let settling: Int
  /// How long it may take to follow a change, in milliseconds.
  let followUpTime: Int

  /// The command of this package.
  static func ours() throws -> Competitor {
    Competitor(
      name: "reachability", title: "reachability", path: try Executable("reachability").path,
      isAdapter: false,
      version: "", settling: 1200, followUpTime: 0)
  }

  /// An adapter in a folder.
  static func adapter(_ name: String, in folder: String) throws -> Competitor {
    let path = "\(folder)/\(name)"
    let version = try Program([path, "version"]).finish(within: 30).text
    let isSlow = slow.contains(name)
    return Competitor(
      name: name, title: titles[name] ?? name, path: path, isAdapter: true,
      version: version.split(separator: "\n").first.map(String.init) ?? "", settling: isSlow ? 2500 : 1200,
      followUpTime: isSlow ? 10_000 : 0)
  }

  /// NetworkManager gives a link six seconds to get its carrier back.
  private static let slow: Set = ["gio-networkmanager", "nm-online", "qt-networkmanager", "connman"]

  private static let titles = [
    "gio-netlink": "GLib GNetworkMonitor (netlink)",
    "gio-networkmanager": "GLib GNetworkMonitor (NetworkManager)",
    "gio-reachability": "GLib GNetworkMonitor (this package)",
    "nm-online": "nm-online",
    "networkd-wait-online": "systemd-networkd-wait-online",
    "qt-networkmanager": "Qt 6 QNetworkInformation (NetworkManager)",
    "qt-glib": "Qt 6 QNetworkInformation (GLib)",
    "qt-glib-reachability": "Qt 6 QNetworkInformation (GLib, this package)",
    "connman": "ConnMan",
    "chromium": "Chromium navigator.onLine",
    "firefox": "Firefox navigator.onLine",
    "shell-default-route": "shell: is there a default route?",
    "shell-link-up": "shell: is a link up?",
    "shell-route-get": "shell: ip route get",
  ]

  /// The words of a command that reports each change.
  var watch: [String] { isAdapter ? [path, "watch"] : [path, "watch", "default"] }

  /// The words of a command that asks once.
  func check(_ target: String?) -> [String] { [path, "check"] + (target.map { [$0] } ?? []) }

  /// Reads a line of ``watch``.
  func reading(of line: Substring) -> Bool? {
    if isAdapter { return line == "usable" ? true : line == "unusable" ? false : nil }
    let words = line.split(separator: " ").dropFirst(2)
    return words.first == "reachable" ? true : words.starts(with: ["not", "reachable"]) ? false : nil
  }

  /// Asks once; `nil` if it cannot be asked that.
  func ask(_ target: String?, on machine: NetworkNamespace) throws -> Bool? {
    let outcome = try Program(check(target), in: machine).finish(within: 30)
    switch outcome.status {
    case 0: return true
    case 1: return false
    case 2: return nil
    default: throw CommandError("\(name) check: exit status \(outcome.status)")
    }
  }
}
