// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import CommandLineSupport
@testable import ReachabilityCLI
@testable import ReachabilityKit

/// Standard output redirected to a file, whose content the checks read back.
final class Screen: Sendable {
  let output: StandardOutput
  private let file: CInt

  init() {
    let path = "\(NSTemporaryDirectory())/screen-\(getpid())"
    file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    unsafe unlink(path)
    dup2(file, 1)
    output = StandardOutput()
  }

  /// Returns the text that a closure writes.
  func text(_ write: (StandardOutput) -> WriteResult) -> String {
    ftruncate(file, 0)
    lseek(file, 0, SEEK_SET)
    guard write(output) == .written else { return "" }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
    _ = unsafe pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal could act on the character, or a reader mistake it for another.
  fileprivate var isHostile: Bool {
    switch value {
    case 0..<0x20, 0x7f...0xa0, 0xad, 0x61c, 0x1680, 0x2000...0x200f, 0x2028...0x202f, 0x205f...0x206f,
      0x3000,
      0xfeff, 0xfff9...0xfffb, 0xe000...0xf8ff, 0xe0000...0xe007f, 0xf0000...:
      true
    default: false
    }
  }
}

extension Check {
  /// The command's arguments and its output.
  static let command = [
    Check("Invocation") { bytes throws(Finding) in
      let options: any CommandOptions
      do throws(UsageError) {
        options = try CommandLineTool.options(of: bytes.texts)
      } catch {
        try expect(!error.problems.isEmpty && !error.hint.isEmpty, "an error without a problem or a hint")
        try expectHarmless(error.hint, "hint")
        for problem in error.problems { try expectHarmless(problem.escapedForTerminal, "problem") }
        return
      }
      try check(options)
    },
    Check(text: "Escaping") { text throws(Finding) in
      let escaped = text.escapedForTerminal
      try expectHarmless(escaped, "escaped text")
      try expect(escaped.escapedForTerminal == escaped, "escaping twice changes the text")
      var object = JSONObject()
      object.add(text, 1)
      object.add("texts", [text, text])
      try expectHarmless(object.text, "object")
      let read = try parsed(object.text)
      try expect((read["texts"] as? [String]).map { $0.allSatisfy { $0.isSame(as: text) } } ?? false, "texts")
      try expect(read.keys.contains { $0.isSame(as: text) }, "the key has changed")
    },
    Check("StatusReport") { bytes throws(Finding) in
      try expectReport(of: 2, from: bytes) { names, isJSON, output in
        let interface = ReachabilityInterface(name: names[0], index: 2, kind: .other, linkType: names[1])
        var status = ReachabilityStatus(
          .reachable, interface: interface, gateway: "10.1.0.254", source: "10.1.0.1")
        status.addresses = [
          ReachabilityStatus.ResolvedAddress("fe80::1", zone: 2, status: .notReachable(.noRoute))
        ]
        let target = NamedTarget(text: names[2], target: .defaultRoute)
        return StatusReport([target], isJSON: isJSON, output).write(0, status, as: .check)
      }
    },
    Check("PathReport") { bytes throws(Finding) in
      try expectReport(of: 9, from: bytes) { names, isJSON, output in
        let interface = ReachabilityInterface(name: names[0], index: 2, kind: .wired, linkType: names[1])
        let plain = ReachabilityInterface(name: "eth0", index: 3, kind: .wired)
        var path = ReachabilityPath(.satisfied)
        path.interfaces = [.init(interface, lower: [plain], gateways: ["10.1.0.254"])]
        path.unusableInterfaces = [.init(interface, reason: .noRoute)]
        path.nameServers = [.init("fe80::53", zone: .name(names[2]), reason: .noRoute)]
        return PathReport(isJSON: isJSON, output).write(path, as: .check)
      }
    },
    Check("ExplanationReport") { bytes throws(Finding) in
      try expectReport(of: 4, from: bytes) { names, isJSON, output in
        let step = ReachabilityExplanation.Step(
          .interface, family: .v4, .failed, fact: names[0], problem: names[1], advice: names[2])
        let explanation = ReachabilityExplanation(
          of: .defaultRoute, status: .notReachable(.interfaceDown), steps: [step], summary: names[1])
        return ExplanationReport(isJSON: isJSON, output).write(names[2], explanation)
      }
    },
  ]

  private static func check(_ options: any CommandOptions) throws(Finding) {
    let century = Duration.zero ... .seconds(3_155_760_000)
    if let watch = options as? WatchCommand.Options {
      try expect(watch.count.map { $0 > 0 } ?? true, "a count of \(watch.count ?? 0)")
      try expect(century.contains(watch.settling), "settling of \(watch.settling)")
      try expect(watch.timeout.map(century.contains) ?? true, "timeout of \(watch.timeout ?? .zero)")
    }
    try expect(options.targets.isEmpty == options is PathCommand.Options, "\(options.targets.count) targets")
    for named in options.targets {
      try expect(!named.text.isEmpty, "a target without a text")
      guard let source = named.target.source, case .address(let address) = named.target.destination else {
        continue
      }
      try expect(source.bitWidth == address.bitWidth, "\(named.target) is of two families")
    }
  }

  // MARK: Output

  static let screen = Screen()

  /// Expects that names from outside change only their own places in a text report or a JSON object.
  ///
  /// The bytes are the names, separated by zeros; their parity chooses between text and JSON.
  private static func expectReport(
    of count: Int, from bytes: [UInt8], _ write: ([String], Bool, StandardOutput) -> WriteResult
  ) throws(Finding) {
    let names = Array((bytes.texts + ["", "", ""]).prefix(3))
    guard bytes.reduce(0, ^).nonzeroBitCount.isMultiple(of: 2) else {
      let text = screen.text { write(names, false, $0) }
      let lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
      try expect(lines == count, "\(lines) lines, not \(count)")
      return try expectHarmless(text, "line", but: "\n")
    }
    let text = screen.text { write(names, true, $0) }
    try expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1, "an object of more than a line")
    try expectHarmless(text, "object", but: "\n")
    let object = try parsed(text)
    let interface = ((object["interfaces"] ?? object["steps"]) as? [[String: Any]])?.first
    let name = (interface?["name"] ?? interface?["fact"] ?? object["interface"]) as? String ?? ""
    try expect(name.isSame(as: names[0]), "the name has changed")
    let type = ((interface ?? object)["linkType"] ?? interface?["problem"]) as? String ?? ""
    try expect(type.isSame(as: names[1]), "the type has changed")
  }

  /// Expects that no character can move a cursor or reverse the direction of writing.
  static func expectHarmless(
    _ text: String, _ what: String, but allowed: Unicode.Scalar? = nil
  ) throws(Finding) {
    let hostile = text.unicodeScalars.first { $0.isHostile && $0 != allowed }
    try expect(hostile == nil, "U+\(String(hostile?.value ?? 0, radix: 16)) in a \(what)")
  }

  static func parsed(_ text: String) throws(Finding) -> [String: Any] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw Finding(claim: "no JSON: \(text)")
    }
    return object
  }
}

extension String {
  /// Whether two texts are equal byte by byte, not only canonically equivalent.
  fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
