// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The lines of a record, and the places where another file begins; uses neither files nor clocks.
struct Record {
  private enum Life {
    case running
    /// Lines are left out, because writing fails or is too slow.
    case suspended
    case ended
  }

  private let header: RecordHeader
  /// The size in bytes that a file does not exceed, unless what it begins with takes up half of it.
  private let limit: Int
  /// The number of bytes that may wait to be written.
  private let capacity: Int

  private var life = Life.running
  private var isStartMissing = false
  /// The number of lines left out since the last one that was not.
  private(set) var lostCount = 0
  private var waiting: [RecordStep] = []
  /// The time of the first line that waits.
  private var waitingSince: LineTime?
  private var waitingSize = 0
  /// The size of the file after all waiting steps.
  private var fileSize: Int
  /// The size of the lines that the file began with, which only repeat current values.
  private var headSize = 0

  private var path: (ReachabilityPath, PathEvidence?)?
  private var statuses: [ReachabilityStatus?]
  private var evidence: [TrafficEvidence?]
  private var verifications: [(endpoint: String, value: RecordedVerification)] = []

  /// Begins the record of a run.
  init(_ header: RecordHeader, fileSize: Int, limit: Int, capacity: Int = 16 << 20, at time: LineTime) {
    self.header = header
    self.fileSize = fileSize
    self.limit = limit
    self.capacity = capacity
    statuses = header.targets.map { _ in nil }
    evidence = header.targets.map { _ in nil }
    let line = header.object(.start, at: time).line
    if fileSize > 0, fileSize + line.count > limit { begin(.rotate) }
    put(.start(line: line), at: time)
  }

  // MARK: - Lines

  /// Adds a path: the initial one, a change, or one whose evidence has changed.
  mutating func add(
    _ path: ReachabilityPath, as event: RecordSchema.Event, evidence: PathEvidence?, at time: LineTime
  ) {
    add(JSONObject(path, as: event, evidence: evidence, at: time), at: time)
    self.path = (path, evidence)
  }

  /// Adds the initial status of the target at a position, or a change.
  mutating func add(_ position: Int, _ event: ReachabilityEvent, at time: LineTime) {
    let object = JSONObject(
      header.targets[position], event.status, as: event.isInitial ? .initial : .change,
      previous: event.previous, at: time)
    add(object, at: time)
    statuses[position] = event.status
  }

  /// Adds the evidence about the target at a position.
  mutating func add(_ position: Int, _ evidence: TrafficEvidence, at time: LineTime) {
    add(JSONObject(header.targets[position], evidence, at: time), at: time)
    self.evidence[position] = evidence
  }

  /// Adds what the verification of an endpoint says, unless it repeats that nothing is known.
  mutating func add(_ endpoint: String, _ value: RecordedVerification, at time: LineTime) {
    let position = verifications.firstIndex { $0.endpoint == endpoint }
    guard value != .unknown || position.map({ verifications[$0].value != value }) ?? true else { return }
    add(value.object(endpoint, at: time), at: time)
    if let position { verifications[position].value = value } else { verifications.append((endpoint, value)) }
  }

  /// Adds the proof that the process runs.
  mutating func addHeartbeat(at time: LineTime) {
    add(JSONObject(.heartbeat, at: time), at: time)
  }

  /// Ends the record; it ignores all further lines.
  mutating func end(at time: LineTime) {
    add(JSONObject(.stop, at: time), at: time)
    life = .ended
  }

  private mutating func add(_ object: JSONObject, at time: LineTime) {
    switch life {
    case .running:
      let line = object.line
      if fileSize + line.count > max(limit, 2 * headSize) { rotate(at: time) }
      put(.append(line: line, loss: 1), at: time)
      if waitingSize > capacity { life = .suspended }
    case .suspended: lostCount += 1
    case .ended: break
    }
  }

  /// Begins another file, with all that a reader needs to read it alone.
  private mutating func rotate(at time: LineTime) {
    begin(.rotate)
    putHeader(at: time)
    putValues(at: time)
    headSize = fileSize
  }

  /// Begins another file, because another program has moved, removed or changed this one.
  ///
  /// The lines that wait follow the line that names the run, and all current values follow them.
  mutating func beginAnew(at time: LineTime) {
    guard waiting.first != .reopen, life != .suspended || isWaiting else { return }
    let lines = waiting.filter { $0.line != nil }
    (waiting, waitingSize) = ([], 0)
    begin(.reopen)
    if case .start = lines.first {} else { putHeader(at: waitingSince ?? time) }
    // The last line of the run stays the last one.
    let isEnding = life == .ended && !lines.isEmpty
    for line in lines.dropLast(isEnding ? 1 : 0) { put(line, at: time) }
    if life != .suspended { putValues(at: time) }
    headSize = fileSize - lines.reduce(0) { $0 + ($1.line?.count ?? 0) }
    if isEnding, let last = lines.last { put(last, at: time) }
  }

  private mutating func putHeader(at time: LineTime) {
    put(.append(line: header.object(.continue, at: time).line, loss: 0), at: time)
  }

  private mutating func begin(_ step: RecordStep) {
    waiting.append(step)
    fileSize = 0
  }

  private mutating func putValues(at time: LineTime) {
    func put(_ object: JSONObject) { self.put(.append(line: object.line, loss: 0), at: time) }
    if let (path, evidence) = path { put(JSONObject(path, as: .initial, evidence: evidence, at: time)) }
    for (target, status) in zip(header.targets, statuses) {
      if let status { put(JSONObject(target, status, as: .initial, at: time)) }
    }
    for (target, evidence) in zip(header.targets, evidence) {
      if let evidence { put(JSONObject(target, evidence, at: time)) }
    }
    for (endpoint, value) in verifications { put(value.object(endpoint, at: time)) }
  }

  private mutating func put(_ step: RecordStep, at time: LineTime) {
    waitingSince = waitingSince ?? time
    waiting.append(step)
    let size = step.line?.count ?? 0
    waitingSize += size
    fileSize += size
  }

  // MARK: - Writing

  /// Whether lines are left out until ``resume(fileSize:inOtherFile:at:)``.
  var isSuspended: Bool { life == .suspended }

  /// Whether steps wait.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Removes the steps that wait, and returns them.
  mutating func removeSteps() -> [RecordStep] {
    defer { (waiting, waitingSince, waitingSize) = ([], nil, 0) }
    return waiting
  }

  /// Leaves out these lines, those that wait and all further ones.
  mutating func suspend(losing steps: some Sequence<RecordStep>) {
    for step in Array(steps) + removeSteps() {
      if case .append(_, let loss) = step { lostCount += loss }
      if case .start = step { isStartMissing = true }
    }
    if life == .running { life = .suspended }
  }

  /// Ends the suspension with the number of lost lines and all current values.
  mutating func resume(fileSize: Int, inOtherFile isOther: Bool = false, at time: LineTime) {
    guard life == .suspended else { return }
    life = .running
    self.fileSize = fileSize
    if isStartMissing {
      put(.start(line: header.object(.start, at: time).line), at: time)
    } else if isOther || fileSize == 0 {
      putHeader(at: time)
    }
    isStartMissing = false
    var object = JSONObject(at: time)
    object.add(.lost, lostCount)
    object.add(event: .resume)
    put(.append(line: object.line, loss: lostCount), at: time)
    lostCount = 0
    putValues(at: time)
  }
}

extension JSONObject {
  fileprivate init(_ event: RecordSchema.Event, at time: LineTime) {
    self.init(at: time)
    add(event: event)
  }

  /// The object as a line of a file.
  fileprivate var line: [UInt8] { Array(text.utf8) + [UInt8(ascii: "\n")] }
}

/// A step of writing a record.
enum RecordStep: Equatable {
  /// Append a line. If that fails, this number of lines is lost: none if the line repeats what is known.
  case append(line: [UInt8], loss: Int)
  /// Append the line that the run begins with.
  case start(line: [UInt8])
  /// Begin another file, and keep this one under another name.
  case rotate
  /// Begin another file, because this one was moved or removed.
  case reopen

  /// The line to append.
  var line: [UInt8]? {
    switch self {
    case .append(let line, _), .start(let line): line
    case .rotate, .reopen: nil
    }
  }
}

/// Divides the output of another program into lines.
struct OutputLines {
  /// The longest line in bytes.
  static let limit = 64 << 10

  /// The beginning of a line whose end has not arrived.
  private var unfinished: [UInt8] = []

  /// Adds a part of the output, and returns the lines that it ends; `nil` stands for one that is too long.
  mutating func add(_ part: ArraySlice<UInt8>) -> [[UInt8]?] {
    var lines: [[UInt8]?] = []
    var rest = part
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      lines.append(unfinished.count > Self.limit ? nil : unfinished)
      unfinished = []
      rest = rest[(end + 1)...]
    }
    append(rest)
    return lines
  }

  /// Adds to the unfinished line, but no more than shows that it is too long.
  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    unfinished += bytes.prefix(Self.limit + 1 - unfinished.count)
  }
}
