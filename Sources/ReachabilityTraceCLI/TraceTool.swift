// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import Netlink
import POSIX
import PacketTrace

/// The command: runs arguments, and returns an exit status.
struct TraceTool {
  var output: StandardOutput
  /// Whether the process has the only right that it needs, or why it could not drop the others.
  var privilege: Result<Bool, Errno>
  var legacyTables: LegacyTables

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    TraceInvocation.description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try TraceInvocation(parsed) }
    ) { TraceTool(output: $1, privilege: privilege, legacyTables: legacyTables).run($0) }
  }

  private func run(_ invocation: TraceInvocation) -> Int32 {
    do throws(UsageError) {
      let report = try report(invocation)
      let isOwnFault = report.outcome.isOwnFilter || report.outcome == .notSent
      let text = invocation.isJSON ? report.jsonObject(at: .now).text + "\n" : report.lines
      return output.exitStatus(
        output.write(text), else: isOwnFault ? ExitStatus.negative : ExitStatus.success)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
  }

  private static let missingRight = UsageError(
    "tracing needs CAP_NET_ADMIN in the user namespace that owns this network",
    hint: "run it as root, for example with sudo")

  private func report(_ invocation: TraceInvocation) throws(UsageError) -> TraceReport {
    switch privilege {
    case .success(true): break
    case .success(false): throw Self.missingRight
    case .failure(let error):
      throw UsageError("could not drop rights: \(error)", hint: "run it outside of a sandbox")
    }
    let tracer = PacketTracer(
      invocation.transport, to: invocation.address, port: invocation.port,
      interface: try index(of: invocation.interface), source: invocation.source, mark: invocation.mark,
      timeout: invocation.timeout)
    let result: PacketTracer.Result
    do throws(NetlinkError) {
      result = try tracer.run(randomNumber: .random(in: 0 ... .max))
    } catch {
      switch error.errno {
      case .notPermitted, .accessDenied: throw Self.missingRight
      case .notSupported, .invalidArgument:
        throw UsageError(error.description, hint: "tracing needs Linux 5.12 or later, with nf_tables")
      default: throw UsageError(error.description, hint: "check the address, --from and --interface")
      }
    }
    return TraceReport(
      result, of: invocation, legacyTables: legacyTables.names(isIPv6: invocation.address.family == .v6))
  }

  private func index(of interface: InterfaceName?) throws(UsageError) -> UInt32? {
    guard let interface else { return nil }
    if let index = FlowSocket.index(ofInterface: interface) ?? UInt32(digits: interface.text) { return index }
    throw UsageError("there is no interface '\(interface)'", hint: "'ip link' lists the interfaces")
  }
}

/// The tables of iptables-legacy, whose rules nf_tables does not show.
struct LegacyTables: Sendable {
  private var ofIPv4: [String]?
  private var ofIPv6: [String]?

  /// Reads the lists of this network namespace, which belong to root.
  init() {
    ofIPv4 = Self.names(in: "/proc/net/ip_tables_names")
    ofIPv6 = Self.names(in: "/proc/net/ip6_tables_names")
  }

  /// The tables of a family, or `nil` if they are not known.
  func names(isIPv6: Bool) -> [String]? { isIPv6 ? ofIPv6 : ofIPv4 }

  private static func names(in path: String) -> [String]? {
    do throws(Errno) {
      let bytes = try SystemFile.contents(of: path, upTo: 4096)
      return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    } catch .notFound {
      // The kernel has no such tables.
      return []
    } catch {
      return nil
    }
  }
}
