// SPDX-License-Identifier: Apache-2.0
/// An error of a monitor.
public struct ReachabilityMonitorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// A struct, since later versions will add codes: a `switch` needs a `default`.
  public struct Code: RawRepresentable, Hashable, Sendable, CaseIterable {
    private enum Value: String, CaseIterable {
      case systemUnavailable, timedOut, namespaceNotFound, notPermitted, notConnectable, invalidTarget,
        cancelled
    }

    private let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the code with this name, or `nil` if this version knows no such code.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the code.
    public var rawValue: String { value.rawValue }

    /// All codes of this version.
    public static var allCases: [Code] { Value.allCases.map { Code(value: $0) } }

    /// The operating system cannot be queried: a sandbox forbids it, or no descriptors are left.
    public static var systemUnavailable: Code { Code(value: .systemUnavailable) }
    /// The caller's time limit has passed.
    public static var timedOut: Code { Code(value: .timedOut) }
    /// The network namespace does not exist, or the file is not a network namespace.
    public static var namespaceNotFound: Code { Code(value: .namespaceNotFound) }
    /// The process lacks a required privilege.
    public static var notPermitted: Code { Code(value: .notPermitted) }
    /// The target cannot be connected to: it is not an address, it has no port, or the network is simulated.
    public static var notConnectable: Code { Code(value: .notConnectable) }
    /// No change of the network can make the target reachable: its name does not exist or has no address, its link-local
    /// address has no zone, or its address is not one of a single host.
    public static var invalidTarget: Code { Code(value: .invalidTarget) }
    /// The task was cancelled.
    public static var cancelled: Code { Code(value: .cancelled) }
  }

  /// The kind of the error.
  public let code: Code
  /// The system's error number, if there is one.
  public let errorNumber: Int32?
  /// One sentence that says what failed and why.
  public let description: String

  /// The last status of the target, if the error concerns one.
  public let status: ReachabilityStatus?

  /// Creates an error.
  public init(
    _ code: Code, errorNumber: Int32? = nil, description: String, status: ReachabilityStatus? = nil
  ) {
    self.code = code
    self.errorNumber = errorNumber
    self.description = description
    self.status = status
  }

  /// The error of a call whose task was cancelled.
  package static var cancelled: Self { Self(.cancelled, description: "the task was cancelled") }
}

/// Counters of the exchange between a monitor and the system since the monitor was created, for troubleshooting.
///
/// No counter requires a reaction. Lost messages are replaced by reading the tables again. Unreadable messages are
/// skipped, and the kernel is queried for the targets that they may affect.
public struct ReachabilityDiagnostics: Hashable, Sendable {
  /// The number of messages that the system did not send; they were ignored.
  public var foreignMessages: Int
  /// The number of unreadable messages: announcements, and table entries each time that a table was read.
  public var unreadableMessages: Int
  /// The number of times that messages were lost because they arrived faster than they were read.
  public var overruns: Int
  /// The number of full reads of the link and address tables: initially, after each loss, and again when a table
  /// changed during each listing.
  public var tableReads: Int
  /// Why the system cannot be queried, so that all statuses are unknown; `nil` if it can.
  public var failure: ReachabilityMonitorError?

  /// Creates counters; the default of each is zero.
  public init(
    foreignMessages: Int = 0, unreadableMessages: Int = 0, overruns: Int = 0, tableReads: Int = 0,
    failure: ReachabilityMonitorError? = nil
  ) {
    self.failure = failure
    self.foreignMessages = foreignMessages
    self.unreadableMessages = unreadableMessages
    self.overruns = overruns
    self.tableReads = tableReads
  }
}

extension ReachabilityDiagnostics {
  static func + (one: Self, other: Self) -> Self {
    Self(
      foreignMessages: one.foreignMessages + other.foreignMessages,
      unreadableMessages: one.unreadableMessages + other.unreadableMessages,
      overruns: one.overruns + other.overruns, tableReads: one.tableReads + other.tableReads,
      failure: one.failure ?? other.failure)
  }
}

/// A network namespace: a separate network on the same machine, for example a container's.
public enum ReachabilityNamespace: Hashable, Sendable {
  /// The namespace that `ip netns` lists by this name; the file is `/run/netns/NAME`.
  case named(String)
  /// The namespace of the process with this ID; the file is `/proc/PID/ns/net`.
  case process(Int32)
  /// The namespace of this file.
  case path(String)
}

extension ReachabilityNamespace {
  /// The accepted forms of a network namespace, in words.
  package static let acceptedTexts =
    "a name listed by 'ip netns', a process ID, or a path with a slash, for example /proc/1/ns/net"

  /// Reads a network namespace: a path contains a slash, a process ID only digits.
  package init?(text: String) {
    if text.utf8.contains(UInt8(ascii: "/")) {
      self = .path(text)
    } else if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let id = Int32(text), id > 0 else { return nil }
      self = .process(id)
    } else {
      guard text != ".", text != ".." else { return nil }
      self = .named(text)
    }
  }
}

extension ReachabilityNamespace: CustomStringConvertible {
  /// A noun phrase, for example `network namespace 'blue'`.
  public var description: String {
    switch self {
    case .named(let name): "network namespace '\(name)'"
    case .process(let id): "network namespace of process \(id)"
    case .path(let path): "network namespace '\(path.redactedPath)'"
    }
  }
}

extension String {
  /// The path in a form that may be shown: a URL given by mistake may contain secrets.
  var redactedPath: String {
    // Not `contains("//")`, which links the standard library's regular expressions into a self-contained program.
    zip(utf8, utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
      ? redacted : self
  }
}
