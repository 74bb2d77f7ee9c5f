#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct `Usage errors` {
  @Test(arguments: Mistake.ofOptions + Mistake.ofValues + Mistake.ofFit + Mistake.ofPath + Mistake.ofProbe)
  func `a mistake in an option is named together with what is accepted`(_ mistake: Mistake) throws {
    try #expect(mistake.outcome() == Outcome(status: 2, errors: mistake.errors))
  }

  @Test(arguments: Mistake.ofTargets)
  func `a malformed target is named together with what is accepted`(_ mistake: Mistake) throws {
    try #expect(mistake.outcome() == Outcome(status: 2, errors: mistake.errors))
  }

  @Test func `all malformed targets are named at once`() throws {
    try #expect(
      reachability("wait", "one..example", "10.1.0.1", "10.1", "fe80::1%", "--json")
        == Outcome(
          status: 2,
          errors: """
            error: 'one..example' is not a host name: it has an empty part between dots
            error: '10.1' is not an IP address
            error: 'fe80::1%' has an invalid zone: it is an interface's name or index, of a link-local or multicast IPv6 address
            \(targetHint)

            """))
  }

  @Test func `control characters in a malformed target are made visible`() throws {
    try #expect(
      reachability("a\u{1b}[31mb")
        == Outcome(
          status: 2,
          errors: """
            error: 'a\\u{1b}[31mb' is not a host name: '\\u{1b}' is not allowed in a name
            \(targetHint)

            """))
  }

  @Test func `control characters in a zone that does not fit are made visible`() throws {
    let outcome = try reachability("fe80::1%a\u{1b}[31mb", "--interface", "c\u{1b}[32md")
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: 'fe80::1%a\\u{1b}[31mb' names another interface than --interface c\\u{1b}[32md
            \(targetHint)

            """))
  }

  @Test func `control characters in options are made visible`() throws {
    try #expect(
      reachability("--a\u{1b}[31mb")
        == Outcome(status: 2, errors: "error: there is no option --a\\u{1b}[31mb\n\(optionHint)\n"))
    try #expect(
      reachability("--mark", "\u{202e}1")
        == Outcome(status: 2, errors: "error: --mark can't be '\\u{202e}1'\n\(markHint)\n"))
  }
}

/// Arguments with a mistake, and what the command says of it.
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
    Mistake("--frob", "there is no option --frob", optionHint),
    Mistake("--frob=3 10.1.0.1", "there is no option --frob=3", optionHint),
    Mistake("10.1.0.1 --frob", "there is no option --frob", optionHint),
    Mistake("--help --frob", "there is no option --frob", optionHint),
    Mistake("--frob --version", "there is no option --frob", optionHint),
    Mistake("-x", "there is no option -x", optionHint),
    Mistake("-j 10.1.0.1", "there is no option -j", optionHint),
    Mistake("-hx", "there is no option -x", optionHint),
    Mistake("-é", "there is no option -é", optionHint),
    Mistake("watch --json=yes", "--json takes no value", "hint: write it as --json"),
    Mistake("--help=watch", "--help takes no value", "hint: write it as --help"),
    Mistake("--version=1", "--version takes no value", "hint: write it as --version"),
    Mistake("10.1.0.1 --interface", "--interface needs a value", interfaceHint),
    Mistake("10.1.0.1 --from", "--from needs a value", fromHint),
    Mistake("--mark", "--mark needs a value", markHint),
    Mistake("check --namespace", "--namespace needs a value", namespaceHint),
    Mistake("watch --settle", "--settle needs a value", durationHint),
    Mistake("watch --count", "--count needs a value", countHint),
    Mistake("wait --timeout", "--timeout needs a value", durationHint),
    Mistake("wait --until", "--until needs a value", untilHint),
  ]

  /// A byte more than an interface's longest name.
  private static let tooLong = String(repeating: "a", count: 128)

  static let ofValues = [
    Mistake("--interface=", "--interface can't be ''", interfaceHint),
    Mistake("--interface a/b", "--interface can't be 'a/b'", interfaceHint),
    Mistake("--interface \(tooLong)", "--interface can't be '\(tooLong)'", interfaceHint),
    Mistake("--interface 0", "--interface can't be '0'", interfaceHint),
    Mistake("--from=", "--from can't be ''", fromHint),
    Mistake("--from host.example", "--from can't be 'host.example'", fromHint),
    Mistake("--from 10.1.0.256", "--from can't be '10.1.0.256'", fromHint),
    Mistake("--from 10.1.0.1/24", "--from can't be '10.1.0.1/24'", fromHint),
    Mistake("--from fe80::1%eth0", "--from can't be 'fe80::1%eth0'", fromHint),
    Mistake("--mark -1", "--mark can't be '-1'", markHint),
    Mistake("--mark 4294967296", "--mark can't be '4294967296'", markHint),
    Mistake("--mark 0x", "--mark can't be '0x'", markHint),
    Mistake("--mark 0x100000000", "--mark can't be '0x100000000'", markHint),
    Mistake("--mark +1", "--mark can't be '+1'", markHint),
    Mistake("--mark -0", "--mark can't be '-0'", markHint),
    Mistake("--mark 0x+1", "--mark can't be '0x+1'", markHint),
    Mistake("--mark 42a", "--mark can't be '42a'", markHint),
    Mistake("--mark=", "--mark can't be ''", markHint),
    Mistake("--namespace=", "--namespace can't be ''", namespaceHint),
    Mistake("--namespace .", "--namespace can't be '.'", namespaceHint),
    Mistake("watch --namespace ..", "--namespace can't be '..'", namespaceHint),
    Mistake("wait --namespace 0", "--namespace can't be '0'", namespaceHint),
    Mistake("--namespace 2147483648", "--namespace can't be '2147483648'", namespaceHint),
    Mistake("watch --count 0", "--count can't be '0'", countHint),
    Mistake("watch --count -1", "--count can't be '-1'", countHint),
    Mistake("watch --count +1", "--count can't be '+1'", countHint),
    Mistake("path --watch --count +1", "--count can't be '+1'", countHint),
    Mistake("watch --count 1.5", "--count can't be '1.5'", countHint),
    Mistake("watch --count many", "--count can't be 'many'", countHint),
    Mistake("watch --settle 5", "--settle can't be '5'", durationHint),
    Mistake("watch --settle s", "--settle can't be 's'", durationHint),
    Mistake("wait --timeout -5s", "--timeout can't be '-5s'", durationHint),
    Mistake("wait --timeout 1.5s", "--timeout can't be '1.5s'", durationHint),
    Mistake("wait --timeout 5S", "--timeout can't be '5S'", durationHint),
    Mistake("wait --timeout 5d", "--timeout can't be '5d'", durationHint),
    Mistake("wait --timeout 3155760000001ms", "--timeout can't be '3155760000001ms'", durationHint),
    Mistake("wait --timeout 3155760001s", "--timeout can't be '3155760001s'", durationHint),
    Mistake("wait --timeout 52596001m", "--timeout can't be '52596001m'", durationHint),
    Mistake("wait --timeout 876601h", "--timeout can't be '876601h'", durationHint),
    Mistake(
      "wait --timeout 99999999999999999999s", "--timeout can't be '99999999999999999999s'", durationHint),
    Mistake("wait --until up", "--until can't be 'up'", untilHint),
    Mistake("wait --until=", "--until can't be ''", untilHint),
  ]

  static let ofFit = [
    Mistake("--count 1", "--count does not go with 'check'", "hint: it is an option of 'watch' and 'path'"),
    Mistake(
      "check --count 1", "--count does not go with 'check'", "hint: it is an option of 'watch' and 'path'"),
    Mistake(
      "wait --count 1", "--count does not go with 'wait'", "hint: it is an option of 'watch' and 'path'"),
    Mistake(
      "10.1.0.1 --timeout 1s", "--timeout does not go with 'check'",
      "hint: it is an option of 'watch', 'wait', 'path' and 'explain'"),
    Mistake("--probe 80", "--probe does not go with 'check'", "hint: it is an option of 'explain'"),
    Mistake("check --until up", "--until does not go with 'check'", "hint: it is an option of 'wait'"),
    Mistake(
      "--until reachable watch", "--until does not go with 'watch'", "hint: it is an option of 'wait'"),
  ]

  static let ofPath = [
    Mistake("path eth0", "'path' takes no target, and there is 'eth0'", pathHint),
    Mistake("path ''", "'path' takes no target, and there is ''", pathHint),
    Mistake("path default", "'path' takes no target, and there is 'default'", pathHint),
    Mistake("path a\u{1b}[31mb", "'path' takes no target, and there is 'a\\u{1b}[31mb'", pathHint),
    Mistake("path --count 2", "--count goes with 'path' only if it watches", "hint: add --watch"),
    Mistake("path --timeout 2s", "--timeout goes with 'path' only if it watches", "hint: add --watch"),
    Mistake("path --watch --count 0", "--count can't be '0'", countHint),
    Mistake("path --watch=yes", "--watch takes no value", "hint: write it as --watch"),
    Mistake("path --require", "--require needs a value", kindHint),
    Mistake("path --prohibit", "--prohibit needs a value", kindHint),
    Mistake("path --require wireless", "--require can't be 'wireless'", kindHint),
    Mistake("path --require=", "--require can't be ''", kindHint),
    Mistake("path --prohibit Wifi", "--prohibit can't be 'Wifi'", kindHint),
    Mistake("path --prohibit tunnel --prohibit wifi", "--prohibit can't be 'tunnel'", kindHint),
    Mistake(
      "path --prohibit wired --require wifi --prohibit wifi",
      "'wifi' can't be both required and prohibited", "hint: leave one of the two away"),
    Mistake("path --interface eth0", "--interface does not go with 'path'", targetCommandsHint),
    Mistake("path --from 10.1.0.1", "--from does not go with 'path'", targetCommandsHint),
    Mistake("path --mark 1", "--mark does not go with 'path'", targetCommandsHint),
    Mistake("path --settle 1s", "--settle does not go with 'path'", followingCommandsHint),
    Mistake("path --until reachable", "--until does not go with 'path'", "hint: it is an option of 'wait'"),
    Mistake("watch --watch", "--watch does not go with 'watch'", "hint: it is an option of 'path'"),
    Mistake("--require wifi", "--require does not go with 'check'", "hint: it is an option of 'path'"),
    Mistake(
      "wait --prohibit wifi", "--prohibit does not go with 'wait'", "hint: it is an option of 'path'"),
  ]

  static let ofProbe = [
    Mistake("explain 10.1.0.1 --probe 0", "--probe can't be '0'", portHint),
    Mistake("explain 10.1.0.1 --probe 65536", "--probe can't be '65536'", portHint),
    Mistake("explain 10.1.0.1 --probe http", "--probe can't be 'http'", portHint),
    Mistake("explain --probe", "--probe needs a value", portHint),
    Mistake(
      "explain --probe 80", "--probe can't connect to the default route",
      "hint: name an address, a host or a URL"),
    Mistake(
      "explain 10.1.0.1 --timeout 1s", "--timeout goes with 'explain' only if there is --probe",
      "hint: add --probe PORT"),
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
      "10.1.0.2 --from fd00:1::1", "'10.1.0.2' and --from fd00:1::1 are of different address families",
      targetHint),
    Mistake(
      "--from 10.1.0.1 default fd00:1::2",
      "'fd00:1::2' and --from 10.1.0.1 are of different address families", targetHint),
    Mistake(
      "fe80::2%eth0 --interface eth1", "'fe80::2%eth0' names another interface than --interface eth1",
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

private let optionHint = """
  hint: accepted are --json, --interface NAME, --from ADDRESS, --mark N, --namespace NS, --settle D, --count N, \
  --timeout D, --probe PORT, --until STATE, --watch, --require KIND, --prohibit KIND, --help, --version
  """
let targetHint = """
  hint: a target is an IPv4 or IPv6 address, a link-local address with its zone such as fe80::1%eth0, \
  a host name, a URL, or 'default'
  """
private let pathHint = "hint: ask about a target with 'check', 'watch' or 'wait'"
private let kindHint =
  "hint: it takes 'wired', 'wifi', 'cellular', 'bluetooth', 'loopback' or 'other'"
private let targetCommandsHint = "hint: it is an option of 'check', 'watch', 'wait' and 'explain'"
private let followingCommandsHint = "hint: it is an option of 'check', 'watch' and 'wait'"
private let interfaceHint = "hint: it takes an interface's name, such as eth0, or its index"
private let fromHint = "hint: it takes an IP address of this machine, such as 10.1.0.1 or fd00::1"
private let markHint = "hint: it takes a number from 0 to 4294967295, also in hexadecimal such as 0x42"
private let namespaceHint = """
  hint: it takes a name that 'ip netns' lists, the number of a process, \
  or a path with a slash such as /proc/1/ns/net
  """
private let durationHint = "hint: it takes a whole number with a unit, such as 500ms, 30s, 2m or 1h"
private let countHint = "hint: it takes a whole number from 1"
private let portHint = "hint: it takes a TCP port from 1 to 65535"
private let untilHint = "hint: it takes 'reachable' or 'unreachable'"
#endif
