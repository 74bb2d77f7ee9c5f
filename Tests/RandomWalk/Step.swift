// SPDX-License-Identifier: Apache-2.0
/// A network namespace of the lab: the one under test, and those at the far ends of its cables.
enum Place: String, CaseIterable, Hashable, Sendable {
  case host
  case far1
  case far2
}

/// A command that changes the network.
///
/// In its text `@far1` stands for the namespace of that name.
struct Command: Hashable, Sendable {
  enum Tool: Hashable, Sendable {
    /// `ip`, with the words of the text.
    case ip
    /// `ip -6`.
    case ipv6
    /// A kernel parameter: its path below `/proc/sys`, a space and the value.
    case parameter
  }

  var tool: Tool
  var place: Place
  var text: String

  static func ip(_ text: String, in place: Place = .host) -> Command {
    Command(tool: .ip, place: place, text: text)
  }

  static func ipv6(_ text: String) -> Command {
    Command(tool: .ipv6, place: .host, text: text)
  }

  static func set(_ path: String, _ value: Int, in place: Place = .host) -> Command {
    Command(tool: .parameter, place: place, text: "\(path) \(value)")
  }

  /// Whether the command can change the names of links.
  var changesNames: Bool {
    let words = text.split(separator: " ")
    guard tool == .ip, words[0] == "link" || words[0] == "tuntap" else { return false }
    return words[1] != "set" || words.contains("netns") || words.contains("name")
  }

  /// Whether the command needs a kernel with IPv6.
  var isOfIPv6: Bool {
    switch tool {
    case .ip: text.contains("::") || text.contains("inet6")
    case .ipv6: true
    case .parameter: text.contains("ipv6")
    }
  }

  /// The command as a line of a shell script with the namespaces of `ip netns`.
  var line: String {
    let text = text.replacing("@", with: "")
    switch tool {
    case .ip: return "ip -n \(place) \(text)"
    case .ipv6: return "ip -n \(place) -6 \(text)"
    case .parameter:
      let parts = text.split(separator: " ")
      return "ip netns exec \(place) sh -c 'echo \(parts[1]) > /proc/sys/\(parts[0])'"
    }
  }
}

/// One or more related commands between two comparisons.
struct Step: Hashable, Sendable {
  var commands: [Command]

  init(_ commands: Command...) {
    self.commands = commands
  }

  init(_ commands: [Command]) {
    self.commands = commands
  }
}
