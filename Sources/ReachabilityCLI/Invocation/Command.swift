// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// A command of `reachability`: its declaration, its options and its run, in one file.
protocol Command: SendableMetatype {
  associatedtype Options: CommandOptions

  /// The part of the declaration that finds a command by its name.
  static var summary: CommandSummary { get }
  static var description: CommandDescription { get }

  var options: Options { get }
  var monitor: ReachabilityMonitor { get }
  var output: StandardOutput { get }

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
  /// The threads of an observing command: the library's, that of deadlines, and those of Dispatch's queues.
  static var observingThreadCount: Int { 8 }

  var observes: Bool { true }
  var threadCount: Int? { observes ? Self.observingThreadCount : nil }
}

extension Option {
  static let namespace = Option(
    "namespace", takes: Value("NS", ReachabilityNamespace.acceptedTexts, completion: .namespaces).explained,
    "use another network namespace")
  static let settle = Option("settle", takes: .duration(), "report only changes that last this long")
  static let evidence = Option(
    "evidence",
    "report also whether anything answers, as this machine's own TCP connections show; sends nothing",
    detail: "See EVIDENCE in reachability(1).")

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
}
