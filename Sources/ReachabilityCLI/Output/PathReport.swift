import CommandLineSupport
import ReachabilityKit

/// Writes paths for people or for programs.
struct PathReport: Sendable {
  private let isJSON: Bool
  private let output: StandardOutput

  init(_ invocation: Invocation, _ output: StandardOutput) {
    isJSON = invocation.isJSON
    self.output = output
  }

  /// Writes one path at once; returns what became of it.
  func write(_ path: ReachabilityPath, _ event: StatusReport.Event) -> WriteResult {
    output.write(isJSON ? path.jsonObject(event).text + "\n" : human(path, event))
  }

  /// Whether two paths are written alike, but for the time: people are spared link-local addresses among others.
  func areAlike(_ path: ReachabilityPath, _ other: ReachabilityPath) -> Bool {
    isJSON ? path == other : human(path, .check) == human(other, .check)
  }

  /// How many interfaces that are of no use are told of, so that a thousand do not push the rest off the screen.
  private static let unusableLimit = 12

  /// One line a fact, what matters most first; a watch separates paths by empty lines.
  private func human(_ path: ReachabilityPath, _ event: StatusReport.Event) -> String {
    var facts: [(label: String, text: String)] = []
    func add(_ label: String, _ lines: [String]) {
      for (position, line) in lines.enumerated() { facts.append((position == 0 ? label : "", line)) }
    }
    if event != .check { add("time", [Timestamp.now.text]) }
    add("path", [word(for: path) + (path.reason.map { ", \($0)" } ?? "")])
    for (position, usable) in path.interfaces.enumerated() {
      add(position == 0 && path.isSatisfied ? "interface" : "usable", [usable.text])
      if !usable.gateways.isEmpty {
        add("gateway", [usable.gateways.map(\.description).joined(separator: ", ")])
      }
    }
    let shown = path.unusableInterfaces.prefix(Self.unusableLimit)
    let width = shown.map(\.name.count).max() ?? 0
    let left = path.unusableInterfaces.count - shown.count
    add(
      "unusable",
      shown.map {
        ([$0.name.padded(to: width), $0.reason.description] + $0.addresses.texts).joined(separator: "  ")
      }
        + (left > 0 ? ["and \(left) more"] : []))
    add("IPv4", [answer(path.reasonAgainstIPv4)])
    add("IPv6", [answer(path.reasonAgainstIPv6)])
    add("DNS", [nameServers(of: path)])
    if !path.interfaces.isEmpty {
      add("expensive", [answer(path.isExpensive)])
      add("constrained", [answer(path.isConstrained)])
    }

    let column = facts.map(\.label.count).max() ?? 0
    let lines = facts.map { "\($0.label.padded(to: column))  \($0.text)\n" }
    return (event == .change ? "\n" : "") + lines.joined()
  }

  private func word(for path: ReachabilityPath) -> String {
    let (word, colour) =
      switch path.status {
      case .satisfied: ("satisfied", 32)
      case .unsatisfied: ("unsatisfied", 31)
      case .requiresConnection: ("requires connection", 33)
      case .unknown: ("unknown", 33)
      }
    return output.isColoured ? "\u{1b}[\(colour)m\(word)\u{1b}[0m" : word
  }

  private func answer(_ reason: ReachabilityStatus.Reason?) -> String {
    // Nobody said no.
    if reason == .systemError { return "unknown" }
    return reason.map { "no, \($0)" } ?? "yes"
  }

  private func answer(_ claim: Bool?) -> String { claim.map { $0 ? "yes" : "no" } ?? "unknown" }

  /// Each server with what is wrong with the way there, where something is.
  private func nameServers(of path: ReachabilityPath) -> String {
    if path.status == .unknown { return "unknown" }
    guard !path.nameServers.isEmpty else {
      // A system that names none may still tell whether there are some.
      return path.hasNameServer.map { $0 ? "yes" : "no" } ?? "no, no name server is configured"
    }
    let servers = path.nameServers.map { server in
      server.description.escapedForTerminal + (server.reason.map { " (\($0))" } ?? "")
    }
    return (path.supportsDNS ? "yes, " : "no, ") + servers.joined(separator: ", ")
  }
}

extension ReachabilityPath.Interface {
  /// What it is and stands on, its addresses and its largest packet.
  fileprivate var text: String {
    let below = lower.map(\.description.escapedForTerminal).joined(separator: ", ")
    let name = interface.description.escapedForTerminal + (below.isEmpty ? "" : " on \(below)")
    return ([name] + addresses.texts + (mtu.map { ["mtu \($0)"] } ?? [])).joined(separator: "  ")
  }
}

extension [ReachabilityPath.Address] {
  /// The addresses in one text, link-local ones only where there are no others; nothing if there is none.
  fileprivate var texts: [String] {
    let others = filter { !$0.address.needsZone }
    let shown = others.isEmpty ? self : others
    return shown.isEmpty ? [] : [shown.map(\.description).joined(separator: ", ")]
  }
}

extension ReachabilityPath.UnusableInterface {
  fileprivate var name: String { interface.description.escapedForTerminal }
}

// MARK: - For programs

extension ReachabilityPath {
  fileprivate func jsonObject(_ event: StatusReport.Event) -> JSONObject {
    var object = JSONObject()
    object.add("version", 1)
    object.add("time", Timestamp.now.text)
    object.add("path", status.rawValue)
    object.add("reason", reason?.rawValue)
    object.add("interfaces", interfaces.map(\.jsonObject))
    object.add("unusableInterfaces", unusableInterfaces.map(\.jsonObject))
    object.add("gateways", gateways.map(\.description))
    object.add("supportsIPv4", supportsIPv4)
    object.add("reasonAgainstIPv4", reasonAgainstIPv4?.rawValue)
    object.add("supportsIPv6", supportsIPv6)
    object.add("reasonAgainstIPv6", reasonAgainstIPv6?.rawValue)
    object.add("supportsDNS", supportsDNS)
    object.add("nameServers", nameServers.map(\.jsonObject))
    object.add("isExpensive", isExpensive)
    object.add("isConstrained", isConstrained)
    object.add("event", event.rawValue)
    return object
  }
}

extension ReachabilityInterface {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("index", index)
    object.add("kind", kind.rawValue)
    object.add("isTunnel", isTunnel)
    object.add("linkType", linkType)
    return object
  }
}

extension ReachabilityPath.Interface {
  fileprivate var jsonObject: JSONObject {
    var object = interface.jsonObject
    object.add("mtu", mtu)
    object.add("addresses", addresses.map(\.description))
    object.add("gateways", gateways.map(\.description))
    object.add("supportsIPv4", supportsIPv4)
    object.add("supportsIPv6", supportsIPv6)
    object.add("isExpensive", isExpensive)
    object.add("lower", lower.map(\.jsonObject))
    return object
  }
}

extension ReachabilityPath.UnusableInterface {
  fileprivate var jsonObject: JSONObject {
    var object = interface.jsonObject
    object.add("reason", reason.rawValue)
    object.add("addresses", addresses.map(\.description))
    return object
  }
}

extension ReachabilityPath.NameServer {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("address", description)
    object.add("reason", reason?.rawValue)
    return object
  }
}
