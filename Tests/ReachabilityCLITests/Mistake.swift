// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Testing

/// Arguments with a mistake, and the message of the command.
struct Mistake: Sendable, CustomTestStringConvertible {
  var arguments: String
  var errors: String

  init(_ arguments: String, _ error: String, _ hint: String) {
    self.arguments = arguments
    errors = "error: \(error)\n\(hint)\n"
  }

  var testDescription: String { arguments }

  func outcome() throws -> Outcome {
    try RunningCommand(arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }).finish()
  }
}

extension Mistake {
  static let ofOptions = [
    Mistake("--frob", "unknown option --frob", "hint: did you mean --from?"),
    Mistake("--frob=3 10.1.0.1", "unknown option --frob=3", "hint: did you mean --from?"),
    Mistake("10.1.0.1 --frob", "unknown option --frob", "hint: did you mean --from?"),
    Mistake("--help --frob", "unknown option --frob", "hint: did you mean --from?"),
    Mistake("--frob --version", "unknown option --frob", "hint: did you mean --from?"),
    Mistake("-x", "unknown option -x", optionHint),
    Mistake("-j 10.1.0.1", "unknown option -j", optionHint),
    Mistake("-hx", "unknown option -x", optionHint),
    Mistake("-é", "unknown option -é", optionHint),
    Mistake("watch --json=yes", "--json takes no value", "hint: write --json"),
    Mistake("--help=watch", "--help takes no value", "hint: write --help"),
    Mistake("--version=1", "--version takes no value", "hint: write --version"),
    Mistake("10.1.0.1 --interface", "--interface requires a value", interfaceHint),
    Mistake("10.1.0.1 --from", "--from requires a value", fromHint),
    Mistake("--mark", "--mark requires a value", markHint),
    Mistake("check --namespace", "--namespace requires a value", namespaceHint),
    Mistake("watch --settle", "--settle requires a value", durationHint),
    Mistake("watch --count", "--count requires a value", countHint),
    Mistake("wait --timeout", "--timeout requires a value", durationHint),
    Mistake("wait --until", "--until requires a value", untilHint),
    Mistake("wait --verify", "--verify requires a value", endpointHint),
  ]

  static let ofSpelling = [
    Mistake("check --interfce eth0", "unknown option --interfce", "hint: did you mean --interface?"),
    Mistake("10.1.0.1 --form=10.1.0.1", "unknown option --form=10.1.0.1", "hint: did you mean --from?"),
    Mistake("10.1.0.1 --frm=10.1.0.1", "unknown option --frm=10.1.0.1", "hint: did you mean --from?"),
    Mistake("watch --cuont 1", "unknown option --cuont", "hint: did you mean --count?"),
    Mistake("record --to a --rotat 10M", "unknown option --rotat", "hint: did you mean --rotate?"),
    Mistake("record --rotat=10M --to a", "unknown option --rotat=10M", "hint: did you mean --rotate?"),
    Mistake("path --requir wifi", "unknown option --requir", "hint: did you mean --require?"),
    Mistake("record --to a --keep --ke", "invalid value '--ke' for --keep", keepHint),
    Mistake("path --js", "unknown option --js", "hint: did you mean --json?"),
    Mistake(
      "record --to a --ver", "unknown option --ver",
      "hint: did you mean --verify, --verify-every or --version?"),
    Mistake("check --rotat 10M", "unknown option --rotat", optionHint),
    Mistake(
      "verify --timout 1s http://a.test", "unknown option --timout", "hint: did you mean --timeout?"),
    Mistake("verify --frob", "unknown option --frob", "hint: 'reachability verify --help' lists the options"),
    Mistake("report --htlm a b", "unknown option --htlm", "hint: did you mean --html?"),
  ]

  /// A name that is one byte longer than the longest interface name.
  private static let tooLong = String(repeating: "a", count: 128)

  static let ofValues = [
    Mistake("--interface=", "invalid value '' for --interface", interfaceHint),
    Mistake("--interface a/b", "invalid value 'a/b' for --interface", interfaceHint),
    Mistake("--interface \(tooLong)", "invalid value '\(tooLong)' for --interface", interfaceHint),
    Mistake("--interface 0", "invalid value '0' for --interface", interfaceHint),
    Mistake("--from=", "invalid value '' for --from", fromHint),
    Mistake("--from host.example", "invalid value 'host.example' for --from", fromHint),
    Mistake("--from 10.1.0.256", "invalid value '10.1.0.256' for --from", fromHint),
    Mistake("--from 10.1.0.1/24", "invalid value '10.1.0.1/24' for --from", fromHint),
    Mistake("--from fe80::1%eth0", "invalid value 'fe80::1%eth0' for --from", fromHint),
    Mistake("--mark -1", "invalid value '-1' for --mark", markHint),
    Mistake("--mark 4294967296", "invalid value '4294967296' for --mark", markHint),
    Mistake("--mark 0x", "invalid value '0x' for --mark", markHint),
    Mistake("--mark 0x100000000", "invalid value '0x100000000' for --mark", markHint),
    Mistake("--mark +1", "invalid value '+1' for --mark", markHint),
    Mistake("--mark -0", "invalid value '-0' for --mark", markHint),
    Mistake("--mark 0x+1", "invalid value '0x+1' for --mark", markHint),
    Mistake("--mark 42a", "invalid value '42a' for --mark", markHint),
    Mistake("--mark=", "invalid value '' for --mark", markHint),
    Mistake("--namespace=", "invalid value '' for --namespace", namespaceHint),
    Mistake("--namespace .", "invalid value '.' for --namespace", namespaceHint),
    Mistake("watch --namespace ..", "invalid value '..' for --namespace", namespaceHint),
    Mistake("wait --namespace 0", "invalid value '0' for --namespace", namespaceHint),
    Mistake("--namespace 2147483648", "invalid value '2147483648' for --namespace", namespaceHint),
    Mistake("watch --count 0", "invalid value '0' for --count", countHint),
    Mistake("watch --count -1", "invalid value '-1' for --count", countHint),
    Mistake("watch --count +1", "invalid value '+1' for --count", countHint),
    Mistake("path --watch --count +1", "invalid value '+1' for --count", countHint),
    Mistake("watch --count 1.5", "invalid value '1.5' for --count", countHint),
    Mistake("watch --count many", "invalid value 'many' for --count", countHint),
    Mistake("watch --settle 5", "invalid value '5' for --settle", durationHint),
    Mistake("watch --settle s", "invalid value 's' for --settle", durationHint),
    Mistake("wait --timeout -5s", "invalid value '-5s' for --timeout", durationHint),
    Mistake("wait --timeout 1.5s", "invalid value '1.5s' for --timeout", durationHint),
    Mistake("wait --timeout 5S", "invalid value '5S' for --timeout", durationHint),
    Mistake("wait --timeout 5d", "invalid value '5d' for --timeout", durationHint),
    Mistake("wait --timeout 3155760000001ms", "invalid value '3155760000001ms' for --timeout", durationHint),
    Mistake("wait --timeout 3155760001s", "invalid value '3155760001s' for --timeout", durationHint),
    Mistake("wait --timeout 52596001m", "invalid value '52596001m' for --timeout", durationHint),
    Mistake("wait --timeout 876601h", "invalid value '876601h' for --timeout", durationHint),
    Mistake(
      "wait --timeout 99999999999999999999s", "invalid value '99999999999999999999s' for --timeout",
      durationHint),
    Mistake("wait --until up", "invalid value 'up' for --until", untilHint),
    Mistake("wait --until=", "invalid value '' for --until", untilHint),
    Mistake("wait --verify example.com", "invalid value 'example.com' for --verify", endpointHint),
    Mistake(
      "wait --verify ftp://example.com", "invalid value 'ftp://example.com' for --verify", endpointHint),
    Mistake("wait --verify http://", "invalid value 'http://' for --verify", endpointHint),
  ]

  static let ofFit = [
    Mistake(
      "--count 1", "'check' does not accept --count", "hint: --count is an option of 'watch' and 'path'"),
    Mistake(
      "check --count 1", "'check' does not accept --count", "hint: --count is an option of 'watch' and 'path'"
    ),
    Mistake(
      "wait --count 1", "'wait' does not accept --count", "hint: --count is an option of 'watch' and 'path'"),
    Mistake(
      "10.1.0.1 --connect", "--connect needs a TCP port, which '10.1.0.1' does not have",
      "hint: give a URL, for example tcp://10.9.0.1:22"),
    Mistake("--probe 80", "'check' does not accept --probe", "hint: --probe is an option of 'explain'"),
    Mistake("watch --any", "'watch' does not accept --any", "hint: --any is an option of 'wait'"),
    Mistake(
      "check --verify http://a.test", "'check' does not accept --verify",
      "hint: --verify is an option of 'record' and 'wait'"),
    Mistake(
      "wait --until unreachable --verify http://a.test", "--verify does not fit --until unreachable",
      "hint: remove one of the two options"),
    Mistake(
      "wait --verify http://a.test --from 10.1.0.1",
      "--verify does not fit --from, which requests do not follow", "hint: remove one of the two options"),
    Mistake("check --until up", "'check' does not accept --until", "hint: --until is an option of 'wait'"),
    Mistake(
      "--until reachable watch", "'watch' does not accept --until", "hint: --until is an option of 'wait'"),
  ]

  static let ofRecords = [
    Mistake(
      "record", "'record' requires --to", "hint: add --to FILE, for example --to history.jsonl"),
    Mistake("record --to=", "invalid value '' for --to", "hint: give the path of a file"),
    Mistake("record --to /tmp/", "invalid value '/tmp/' for --to", "hint: give the path of a file"),
    Mistake("record --to", "--to requires a value", "hint: give the path of a file"),
    Mistake("watch --to a", "'watch' does not accept --to", "hint: --to is an option of 'record'"),
    Mistake("record --to a --rotate 10", "invalid value '10' for --rotate", sizeHint),
    Mistake("record --to a --rotate 15K", "invalid value '15K' for --rotate", sizeHint),
    Mistake("record --to a --rotate 1.5M", "invalid value '1.5M' for --rotate", sizeHint),
    Mistake("record --to a --rotate +1M", "invalid value '+1M' for --rotate", sizeHint),
    Mistake("record --to a --rotate 1000001G", "invalid value '1000001G' for --rotate", sizeHint),
    Mistake("record --to a --keep 0", "invalid value '0' for --keep", keepHint),
    Mistake("record --to a --keep 10000", "invalid value '10000' for --keep", keepHint),
    Mistake("record --to a --heartbeat 0s", "invalid value '0s' for --heartbeat", heartbeatHint),
    Mistake("record --to a --heartbeat 1500ms", "invalid value '1500ms' for --heartbeat", heartbeatHint),
    Mistake("record --to a --heartbeat 61m", "invalid value '61m' for --heartbeat", heartbeatHint),
    Mistake("record --to a --count 1", "'record' does not accept --count", countCommandsHint),
    Mistake(
      "record --to a --evidence --mark 1",
      "--evidence does not fit --mark, which cannot be read from connections",
      "hint: remove one of the two options"),
    Mistake("record --to a --verify a.test", "invalid value 'a.test' for --verify", endpointHint),
    Mistake(
      "record --to a --verify http://a.test --namespace 1",
      "--verify does not fit --namespace, which requests do not follow", "hint: remove one of the two options"
    ),
    Mistake(
      "record --to a --verify-every 1m", "'record' accepts --verify-every only with --verify",
      "hint: add --verify URL"),
    Mistake(
      "record --to a --verify http://a.test --verify-every 999ms", "invalid value '999ms' for --verify-every",
      intervalHint),
    Mistake(
      "record --to a" + String(repeating: " --verify http://a.test", count: 17),
      "'record' accepts --verify at most 16 times, got 17", "hint: run another 'record' with another file"),
    Mistake(
      "record --to a --verify http://a.test/?1 --verify http://a.test/?1",
      "the endpoint 'http://a.test/' is given twice", "hint: remove one of the two options"),
  ]

  static let ofPath = [
    Mistake("path eth0", "'path' takes no target, got 'eth0'", pathHint),
    Mistake("path ''", "'path' takes no target, got ''", pathHint),
    Mistake("path default", "'path' takes no target, got 'default'", pathHint),
    Mistake("path a\u{1b}[31mb", "'path' takes no target, got 'a\\u{1b}[31mb'", pathHint),
    Mistake("path --count 2", "'path' accepts --count only with --watch", "hint: add --watch"),
    Mistake("path --timeout 2s", "'path' accepts --timeout only with --watch", "hint: add --watch"),
    Mistake("path --watch --count 0", "invalid value '0' for --count", countHint),
    Mistake("path --watch=yes", "--watch takes no value", "hint: write --watch"),
    Mistake("path --require", "--require requires a value", kindHint),
    Mistake("path --prohibit", "--prohibit requires a value", kindHint),
    Mistake("path --require wireless", "invalid value 'wireless' for --require", kindHint),
    Mistake("path --require=", "invalid value '' for --require", kindHint),
    Mistake("path --prohibit Wifi", "invalid value 'Wifi' for --prohibit", kindHint),
    Mistake("path --prohibit tunnel --prohibit wifi", "invalid value 'tunnel' for --prohibit", kindHint),
    Mistake(
      "path --prohibit wired --require wifi --prohibit wifi",
      "'wifi' is both required and prohibited", "hint: remove one of the two options"),
    Mistake("path --interface eth0", "'path' does not accept --interface", targetCommandsHint("interface")),
    Mistake("path --from 10.1.0.1", "'path' does not accept --from", targetCommandsHint("from")),
    Mistake("path --mark 1", "'path' does not accept --mark", targetCommandsHint("mark")),
    Mistake("path --settle 1s", "'path' does not accept --settle", followingCommandsHint("settle")),
    Mistake(
      "path --until reachable", "'path' does not accept --until", "hint: --until is an option of 'wait'"),
    Mistake("watch --watch", "'watch' does not accept --watch", "hint: --watch is an option of 'path'"),
    Mistake("--evidence", "'check' does not accept --evidence", evidenceHint),
    Mistake("wait 10.1.0.1 --evidence", "'wait' does not accept --evidence", evidenceHint),
    Mistake("explain --evidence", "'explain' does not accept --evidence", evidenceHint),
    Mistake("path --evidence=yes", "--evidence takes no value", "hint: write --evidence"),
    Mistake(
      "watch --evidence --mark 7", "--evidence does not fit --mark, which cannot be read from connections",
      "hint: remove one of the two options"),
    Mistake(
      "path --evidence --timeout 1s", "'path' accepts --timeout only with --watch", "hint: add --watch"),
    Mistake("--require wifi", "'check' does not accept --require", "hint: --require is an option of 'path'"),
    Mistake(
      "wait --prohibit wifi", "'wait' does not accept --prohibit", "hint: --prohibit is an option of 'path'"),
  ]

  static let ofProbe = [
    Mistake("explain 10.1.0.1 --probe 0", "invalid value '0' for --probe", portHint),
    Mistake("explain 10.1.0.1 --probe 65536", "invalid value '65536' for --probe", portHint),
    Mistake(
      "explain 10.1.0.1 --probe no-such-service", "invalid value 'no-such-service' for --probe", portHint),
    Mistake("explain 10.1.0.1 --probe tcp", "invalid value 'tcp' for --probe", portHint),
    Mistake("explain --probe", "--probe requires a value", portHint),
    Mistake(
      "explain --probe 80", "--probe cannot connect to the default route",
      "hint: give an address, a host name or a URL"),
    Mistake(
      "explain 10.1.0.1 --timeout 1s", "'explain' accepts --timeout only with --probe",
      "hint: add --probe PORT"),
  ]

  static let ofMetrics = [
    Mistake(
      "export", "'export' requires --textfile",
      "hint: add --textfile FILE, for example "
        + "--textfile /var/lib/prometheus/node-exporter/reachability.prom"),
    Mistake("export --textfile", "--textfile requires a value", textfileHint),
    Mistake("export --textfile=", "invalid value '' for --textfile", textfileHint),
    Mistake("export --textfile /tmp/a.txt", "invalid value '/tmp/a.txt' for --textfile", textfileHint),
    Mistake("export --textfile /tmp/a.prom/", "invalid value '/tmp/a.prom/' for --textfile", textfileHint),
    Mistake("export --textfile a.prom --label blue", "invalid value 'blue' for --label", labelHint),
    Mistake("export --textfile a.prom --label =b", "invalid value '=b' for --label", labelHint),
    Mistake("export --textfile a.prom --label a=", "invalid value 'a=' for --label", labelHint),
    Mistake("export --textfile a.prom --label 1a=b", "invalid value '1a=b' for --label", labelHint),
    Mistake("export --textfile a.prom --label a-b=c", "invalid value 'a-b=c' for --label", labelHint),
    Mistake("export --textfile a.prom --label __a=b", "invalid value '__a=b' for --label", labelHint),
    Mistake("export --textfile a.prom --label target=b", "invalid value 'target=b' for --label", labelHint),
    Mistake(
      "export --textfile a.prom --label a=b --label a=c", "the label 'a' is given twice",
      "hint: remove one of the two options"),
    Mistake("export --textfile a.prom --every 999ms", "invalid value '999ms' for --every", intervalHint),
    Mistake("export --textfile a.prom --every 15", "invalid value '15' for --every", intervalHint),
    Mistake(
      "watch --textfile a.prom", "'watch' does not accept --textfile",
      "hint: --textfile is an option of 'record' and 'export'"),
    Mistake(
      "check --every 15s", "'check' does not accept --every",
      "hint: --every is an option of 'record' and 'export'"),
    Mistake(
      "record --to a --every 15s", "'record' accepts --every only with --textfile",
      "hint: add --textfile FILE"),
    Mistake(
      "record --to a --label a=b", "'record' accepts --label only with --textfile",
      "hint: add --textfile FILE"),
    Mistake(
      "export --textfile a.prom --json", "'export' does not accept --json",
      "hint: --json is an option of 'check', 'watch', 'wait', 'path' and 'explain'"),
    Mistake(
      "export --textfile a.prom --settle 1s", "'export' does not accept --settle",
      followingCommandsHint("settle")),
    Mistake("export a..b --textfile a.prom", name("a..b", "it has an empty part between dots"), targetHint),
  ]

  static let ofTargets = [
    Mistake("-- --json", name("--json", "a part between dots begins or ends with a hyphen"), targetHint),
    Mistake("-", name("-", "a part between dots begins or ends with a hyphen"), targetHint),
    Mistake("''", empty, targetHint), Mistake("wait ''", empty, targetHint),
    Mistake("watch 10.1.0.1 ''", empty, targetHint), Mistake("explain ''", empty, targetHint),
    Mistake("check '' --from 10.1.0.1", empty, targetHint),
    Mistake("a..b", name("a..b", "it has an empty part between dots"), targetHint),
    Mistake(
      "host:443", name("host:443", "a target with a port is a URL: tcp://host:443"),
      targetHint),
    Mistake(
      "bücher.example",
      name(
        "bücher.example",
        "only the ASCII form of internationalised names is accepted, for example xn--bcher-kva.example"),
      targetHint),
    Mistake(
      "http//x", "'http//x' is not a URL with a host: a URL has '://' after its scheme", targetHint),
    Mistake("http://", "'http://' is not a URL with a host: the host is missing", targetHint),
    Mistake("10.1.0", "'10.1.0' is not an IP address", targetHint),
    Mistake("10.1.0.256", "'10.1.0.256' is not an IP address", targetHint),
    Mistake("10.1.0.01", "'10.1.0.01' is not an IP address", targetHint),
    Mistake("10.1.0.0/24", "'10.1.0.0/24' is not an IP address", targetHint),
    Mistake(
      "10.1.0.1:80", "'10.1.0.1:80' is not an IP address: a target with a port is a URL: tcp://10.1.0.1:80",
      targetHint),
    Mistake("fd00::1::2", "'fd00::1::2' is not an IP address", targetHint),
    Mistake(
      "[10.1.0.1]", "'[10.1.0.1]' is not an IP address: only an IPv6 address can be in brackets", targetHint),
    Mistake("fe80::1%", zone("fe80::1%"), targetHint),
    Mistake("fe80::1%0", zone("fe80::1%0"), targetHint),
    Mistake("fe80::1%a/b", zone("fe80::1%a/b"), targetHint),
    Mistake("fe80::1%\(tooLong)", zone("fe80::1%\(tooLong)"), targetHint),
    Mistake("fd00::1%eth0", zone("fd00::1%eth0"), targetHint),
    Mistake("10.1.0.1%eth0", zone("10.1.0.1%eth0"), targetHint),
    Mistake(
      "10.1.0.2 --from fd00:1::1", "'10.1.0.2' and --from fd00:1::1 have different address families",
      targetHint),
    Mistake(
      "--from 10.1.0.1 default fd00:1::2",
      "'fd00:1::2' and --from 10.1.0.1 have different address families", targetHint),
    Mistake(
      "fe80::2%eth0 --interface eth1", "the zone of 'fe80::2%eth0' differs from --interface eth1",
      targetHint),
  ]

  private static let empty = "an empty text is not a target"

  private static func name(_ text: String, _ detail: String) -> String {
    "'\(text)' is not a host name: \(detail)"
  }

  private static func zone(_ text: String) -> String {
    "'\(text)' has an invalid zone: it is an interface's name or index, of a link-local or multicast IPv6 address"
  }
}

let optionHint = "hint: 'reachability check --help' lists the options"
let targetHint = """
  hint: give an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, \
  a host name, a URL, or 'default'
  """
private let textfileHint =
  "hint: give a name that ends in .prom, for example /var/lib/prometheus/node-exporter/reachability.prom"
private let labelHint = """
  hint: give NAME=VALUE, for example namespace=blue; a name has letters, digits and underscores, begins with no digit \
  or double underscore, and is none of 'target', 'status', 'reason', 'device', 'gateway', 'source', 'verdict', \
  'fault', 'endpoint', 'family', 'version', 'job' \
  and 'instance'
  """
private let intervalHint = "hint: give at least a second: a whole number with a unit, for example 15s or 1m"
private let sizeHint = "hint: give a whole number with a unit, at least 16K, for example 10M or 1G"
private let keepHint = "hint: give a whole number from 1 to 9999"
private let heartbeatHint = "hint: give a duration in whole seconds up to an hour, for example 60s"
private let countCommandsHint = "hint: --count is an option of 'watch' and 'path'"
private let pathHint = "hint: use 'check', 'watch' or 'wait' for a target"
private let evidenceHint = "hint: --evidence is an option of 'watch', 'record', 'path' and 'export'"
private let kindHint =
  "hint: give 'wired', 'wifi', 'cellular', 'bluetooth', 'loopback' or 'other'"
private func targetCommandsHint(_ option: String) -> String {
  "hint: --\(option) is an option of 'check', 'watch', 'record', 'wait', 'explain' and 'export'"
}
private func followingCommandsHint(_ option: String) -> String {
  "hint: --\(option) is an option of 'watch', 'record' and 'wait'"
}
private let interfaceHint = "hint: give an interface name, for example eth0, or an interface index"
private let fromHint = "hint: give an IP address of this machine, for example 10.1.0.1 or fd00::1"
let markHint = "hint: give a number from 0 to 4294967295, decimal or hexadecimal, for example 0x42"
private let namespaceHint = """
  hint: give a name listed by 'ip netns', a process ID, \
  or a path with a slash, for example /proc/1/ns/net
  """
private let durationHint = "hint: give a whole number with a unit, for example 500ms, 30s, 2m or 1h"
private let countHint = "hint: give a whole number from 1"
private let portHint = "hint: give a TCP port from 1 to 65535, or the name of a service, for example https"
private let endpointHint = "hint: give an http or https URL, or tcp://HOST:PORT"
private let untilHint = "hint: give 'reachable' or 'unreachable'"
#endif
