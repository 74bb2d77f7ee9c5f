// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// A command of `reachability`: its declaration, its options and its run, in one file.
protocol Command: SendableMetatype {
  associatedtype Options: CommandOptions

  /// The part of the declaration that finds a command by its name.
  static var summary: CommandSummary { get }
  static var description: CommandDescription { get }

  init(options: Options, monitor: ReachabilityMonitor, output: StandardOutput)

  /// Runs the command, and returns its exit status.
  func run() throws(ReachabilityMonitorError) -> Int32
}

/// The options and operands of a command.
protocol CommandOptions: Equatable {
  /// Interprets a command line.
  init(_ parsed: ParsedOptions) throws(UsageError)

  /// The targets; none of a path.
  var targets: [NamedTarget] { get }
  /// The network namespace to query; `nil` for the command's own.
  var namespace: ReachabilityNamespace? { get }
  /// Whether the command runs until an event, and so observes changes.
  var observes: Bool { get }
  /// The most threads that the command needs, if it needs more than the main one.
  var threadCount: Int? { get }
}

extension CommandOptions {
  /// The threads of an observing command: the library's, Dispatch's and those of tasks.
  static var observingThreadCount: Int { 8 }

  var observes: Bool { true }
  var threadCount: Int? { observes ? Self.observingThreadCount : nil }
}

/// A target, with its text on the command line without secrets.
struct NamedTarget: Equatable {
  var text: String
  var target: ReachabilityTarget
}

extension Option {
  static let namespace = Option(
    "namespace", takes: Value("NS", ReachabilityNamespace.acceptedTexts, completion: .namespaces).explained,
    "use another network namespace")
  static let interface = Option(
    "interface",
    takes: Value(
      "NAME", "an interface name, for example eth0, or an interface index", completion: .interfaces),
    "only through this interface: any of its names, or its index; it may appear and disappear",
    detail: "A name that is not valid UTF-8 cannot be given; give the index instead.")
  static let settle = Option("settle", takes: .duration(), "report only changes that last this long")
  static let evidence = Option(
    "evidence",
    "report also whether anything answers, as this machine's own TCP connections show; sends nothing",
    detail: "See EVIDENCE in reachability(1).")

  /// What decides which packets a status is about.
  static let constraints = [interface, from, mark]
  static let jsonAndNamespace = [json, namespace]
}

extension ParsedOptions {
  /// Reads the option for another network namespace.
  func namespace() throws(UsageError) -> ReachabilityNamespace? {
    try value(.namespace, argument: { ReachabilityNamespace($0) })
  }

  /// Reads the option for evidence, which cannot be told by mark.
  func evidence() throws(UsageError) -> Bool {
    guard has(.evidence) else { return false }
    try exclude(.mark, by: .evidence, "which cannot be read from connections")
    return true
  }

  /// Reads a count of lines.
  func count(_ option: Option) throws(UsageError) -> Int? {
    try value(option) { Int(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
  }

  /// Reads endpoints that `reachability-verify` verifies.
  func endpoints(_ option: Option) throws(UsageError) -> [String] {
    let endpoints = try values(option) { text in
      let isEndpoint = URLParts(text).map {
        ["http", "https", "tcp"].contains($0.scheme.lowercased()) && !$0.host.isEmpty
      }
      return isEndpoint == true ? text : nil
    }
    // The request is a program's own: it takes the route that the system gives it.
    for constraint in Option.constraints + [.namespace] where !endpoints.isEmpty {
      try exclude(constraint, by: option, "which requests do not follow")
    }
    return endpoints
  }

  private func exclude(_ other: Option, by option: Option, _ reason: String) throws(UsageError) {
    guard has(other) else { return }
    throw UsageError(
      "--\(option.name) does not fit --\(other.name), \(reason)", hint: "remove one of the two options")
  }

  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, a host name, a URL, "
    + "or 'default'"

  /// Reads the targets, and gives each the constraints of the options; without one, the default route is the target.
  func targets() throws(UsageError) -> [NamedTarget] {
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
