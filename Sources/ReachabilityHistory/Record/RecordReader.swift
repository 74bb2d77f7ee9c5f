// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

/// Reads files of records; unreadable lines are counted, and change nothing else.
package struct RecordReader {
  /// The longest line in bytes; the path of a machine with ten thousand interfaces is shorter.
  private static let lineLimit = 16 << 20
  private static let blockSize = 1 << 20

  private(set) var runs: [RecordedRun] = []
  private(set) var observations = ObservationTable()
  /// The lines that could not be read, in the order of the files.
  package private(set) var problems: [RecordProblem] = []
  /// The number of lines that were read.
  package private(set) var lineCount = 0

  private var decoder = LineDecoder()
  private var positions: [RunIdentity: Int] = [:]
  /// The run and the piece of it to which the lines of the file belong.
  private var place: (run: Int, piece: Int)?

  package init() {}

  /// The lines that could not be written when they happened, of all runs.
  package var lostCount: Int { runs.reduce(0) { $0 + $1.lostCount } }

  /// Whether a file begins as a record does; a link is not followed, and a pipe is not waited for.
  package static func isRecord(_ path: String) -> Bool {
    var block = [UInt8](repeating: 0, count: LineStart.beginning.count)
    guard let input = try? RecordInput(path, isFile: true),
      let count = try? input.read(&block)
    else { return false }
    return count == block.count && block == LineStart.beginning
  }

  /// Reads a file; its lines join those of the files before.
  package mutating func read(_ path: String) throws(RecordReadError) {
    let input = try RecordInput(path)
    let first = problems.count
    let lines = try read(path) { buffer throws(RecordReadError) in try input.read(&buffer) }
    if let loss = input.loss {
      record(loss == .damage ? .damaged : .expanded, in: path, line: lines, since: first)
    }
  }

  /// Reads what a closure puts into a buffer, until it puts nothing; returns the number of lines.
  @discardableResult
  mutating func read<Failure: Error>(
    _ path: String, from source: (inout [UInt8]) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let first = problems.count
    place = nil
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    var waiting: [UInt8] = []
    var number = 0
    var isSkipping = false
    while true {
      let count = try source(&block)
      if count == 0 { break }
      var start = 0
      while let end = block[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
        number += 1
        if isSkipping {
          isSkipping = false
        } else if waiting.isEmpty {
          read(block, start..<end, number: number, of: path, since: first)
        } else {
          waiting += block[start..<end]
          read(waiting, waiting.indices, number: number, of: path, since: first)
          waiting.removeAll(keepingCapacity: true)
        }
        start = end + 1
      }
      guard !isSkipping else { continue }
      waiting += block[start..<count]
      if waiting.count > Self.lineLimit {
        record(.tooLong, in: path, line: number + 1, since: first)
        waiting = []
        isSkipping = true
      }
    }
    guard !waiting.isEmpty else { return number }
    read(waiting, waiting.indices, number: number + 1, of: path, since: first, isEnded: false)
    return number + 1
  }

  private mutating func read(
    _ bytes: [UInt8], _ range: Range<Int>, number: Int, of file: String, since first: Int,
    isEnded: Bool = true
  ) {
    if range.isEmpty { return }
    do throws(RecordProblem.Kind) {
      let line = try decoder.line(bytes[range])
      try add(line)
      lineCount += 1
      if line.version > RecordSchema.version { record(.laterVersion, in: file, line: number, since: first) }
    } catch {
      record(isEnded ? error : .unfinished, in: file, line: number, since: first)
    }
  }

  private mutating func add(_ line: RecordLine) throws(RecordProblem.Kind) {
    if case .start(let identity, let heartbeat) = line.content {
      let index = positions[identity] ?? runs.count
      if index == runs.count {
        positions[identity] = index
        runs.append(RecordedRun(identity: identity, limit: heartbeat * 3 / 2))
      }
      runs[index].pieces.append(RunPiece())
      place = (index, runs[index].pieces.count - 1)
    }
    guard let (run, piece) = place else { throw .withoutStart }
    runs[run].pieces[piece].extend(line, limit: runs[run].limit)
    switch line.content {
    case .target(let name, let value):
      let index = observations.index(of: value)
      runs[run].pieces[piece].add(
        index, to: LaneKey(kind: .target, name: runs[run].identity.name(of: name)), at: line.uptime)
    case .path(let value):
      runs[run].pieces[piece].add(observations.index(of: value), to: .path, at: line.uptime)
    case .traffic(let name, let value):
      let index = observations.index(of: value)
      runs[run].pieces[piece].add(
        index, to: LaneKey(kind: .traffic, name: runs[run].identity.name(of: name)), at: line.uptime)
    case .verification(let name, let value):
      let index = observations.index(of: value)
      runs[run].pieces[piece].add(
        index, to: LaneKey(kind: .verification, name: runs[run].identity.name(of: name)), at: line.uptime)
    case .start, .resume, .other: break
    }
  }

  private mutating func record(_ kind: RecordProblem.Kind, in file: String, line: Int, since first: Int) {
    if let index = problems[first...].firstIndex(where: { $0.kind == kind }) {
      problems[index].count += 1
    } else {
      problems.append(RecordProblem(kind: kind, file: file, line: line, count: 1))
    }
  }
}

/// Lines of a file that cannot be read.
package struct RecordProblem: Equatable, Sendable {
  package enum Kind: Hashable, Sendable, Error {
    /// The last line has no end, as after a loss of power.
    case unfinished
    case notJSON
    /// JSON, but no line of a record.
    case foreign
    /// No line before says which machine it is about.
    case withoutStart
    case tooLong
    /// The schema is newer, so something may be missing.
    case laterVersion
    /// A compressed file has no proper end.
    case damaged
    /// A compressed file would expand without measure.
    case expanded
  }

  package var kind: Kind
  package var file: String
  /// The number of the first such line, from 1.
  package var line: Int
  /// The number of such lines in the file.
  package var count: Int

  /// A sentence about the lines, for example `a.jsonl:7: not a line of JSON (and 2 more lines)`.
  package var text: String {
    let problem =
      switch kind {
      case .unfinished: "the last line is unfinished"
      case .notJSON: "not a line of JSON"
      case .foreign: "not a line of a record"
      case .withoutStart: "no line before it names the machine"
      case .tooLong: "longer than 16 MiB"
      case .laterVersion: "written by a later version, so something may be missing"
      case .damaged: "the compressed file is damaged, so lines after this one may be missing"
      case .expanded: "more than 200 times as large as the compressed file, so the rest is left out"
      }
    let more = count == 1 ? "" : " (and \(count - 1) more \(count == 2 ? "line" : "lines"))"
    return "\(file):\(line): \(problem)\(more)"
  }
}
