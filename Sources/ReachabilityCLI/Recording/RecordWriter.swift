// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import POSIX

/// Performs the steps of a record on its files, and reports errors once.
struct RecordWriter {
  private(set) var file: RecordFile
  /// The path as it was given.
  private let path: String
  /// The size of the file after the last line.
  private(set) var fileSize: Int
  /// Whether the last attempt to write failed.
  private(set) var isFailing = false
  /// Files whose last lines may not be on the disk.
  private var unsynchronized: [RecordFile] = []
  private var isSynchronizationFailing = false
  private let kept: Int
  private let output: StandardOutput

  init(_ file: RecordFile, at path: String, keeping kept: Int, reportingTo output: StandardOutput) {
    self.file = file
    self.path = path
    fileSize = file.size
    self.kept = kept
    self.output = output
  }

  /// Whether another program has moved, removed, cut or written to the file.
  var isFileChanged: Bool { !file.isUnchanged(from: fileSize) }

  /// Performs steps, and returns those from the first that failed.
  mutating func perform(_ steps: [RecordStep]) -> ArraySlice<RecordStep> {
    var index = 0
    while index < steps.count {
      switch steps[index] {
      case .rotate:
        rotate()
        index += 1
      case .reopen:
        guard reopen() else { return steps[index...] }
        index += 1
      case .start, .append:
        let end = steps[index...].firstIndex { $0.line == nil } ?? steps.endIndex
        var (written, error) = file.append(
          steps[index..<end].flatMap { $0.line ?? [] }, allOrNothing: isFailing)
        fileSize += written
        report(error)
        while index < end, let size = steps[index].line?.count, size <= written {
          written -= size
          index += 1
        }
        if error != nil { return steps[index...] }
      }
    }
    return []
  }

  /// Prepares another attempt after a failure, and returns whether it is about another file; `nil` if there is none.
  mutating func prepare() -> Bool? {
    guard isFileChanged else { return false }
    return reopen() ? true : nil
  }

  private mutating func reopen() -> Bool {
    do throws(RecordFile.Failure) {
      replace(by: try file.reopened(at: path))
      return true
    } catch {
      report(UsageError(error, file.path).problems.joined())
      return false
    }
  }

  private mutating func rotate() {
    do throws(RecordFile.Failure) {
      replace(by: try file.rotated(keeping: kept))
    } catch {
      let reason = UsageError(error, file.path).problems.joined()
      output.report(problem: "could not begin another file, so the record continues in this one: \(reason)")
    }
  }

  private mutating func replace(by new: RecordFile) {
    unsynchronized.append(file)
    (file, fileSize) = (new, new.size)
  }

  private mutating func report(_ error: Errno?) {
    if let error {
      report("could not write to \(file.path): \(error)")
    } else {
      isFailing = false
    }
  }

  private mutating func report(_ problem: String) {
    if !isFailing { output.report(problem: "\(problem); lines are lost until it works again") }
    isFailing = true
  }

  /// Removes the files whose lines may not be on the disk, and returns them.
  mutating func removeUnsynchronized() -> [RecordFile] {
    defer { unsynchronized = [] }
    return unsynchronized + [file]
  }

  /// Notes the result of bringing lines to the disk.
  mutating func recordSynchronization(_ error: Errno?) {
    if let error, !isSynchronizationFailing {
      output.report(problem: "could not bring \(file.path) to the disk: \(error)")
    }
    isSynchronizationFailing = error != nil
  }
}

extension UsageError {
  /// Creates the error about a file that cannot be a record.
  init(_ failure: RecordFile.Failure, _ path: String) {
    switch failure {
    case .inUse:
      self.init("another 'record' appends to \(path)", hint: "end it, or give another file")
    case .notRegular:
      self.init("\(path) is not a regular file", hint: "give a file that 'record' created, or a new one")
    case .foreign:
      self.init("\(path) is not a record", hint: "give a file that 'record' created, or a new one")
    case .link:
      self.init(
        "\(path) is a symbolic link in a folder that others may write to",
        hint: "give the file that it leads to, or one in a folder of this user")
    case .untrusted:
      self.init(
        "\(path) belongs to another user, or has another name elsewhere, in a folder that others may write to",
        hint: "give a file in a folder of this user")
    case .untrustedLock(let name):
      self.init(
        "the lock \(name) in the folder of \(path) belongs to another user",
        hint: "remove it, or give a file in a folder of this user")
    case .system(let error):
      self.init(
        "could not open \(path): \(error)", hint: "give a file in a folder that this user may write to")
    }
  }
}

/// What identifies a run of `record`: the members of the line that each file of it begins with.
struct RecordHeader {
  /// The host name.
  var machine: String
  /// What tells machines with one host name from each other.
  var machineID: String?
  var boot: String?
  /// A random identifier.
  var run: String
  var targets: [String]
  var constraints = RecordingOptions.Constraints()
  var heartbeat: Duration

  /// The members, for the first file of the run or for another one.
  func object(_ event: RecordSchema.Event, at time: LineTime) -> JSONObject {
    var object = JSONObject(at: time)
    object.add(.machine, machine)
    object.add(.machineID, machineID)
    object.add(.boot, boot)
    object.add(.run, run)
    object.add("program", packageVersion)
    object.add("targets", targets)
    object.add(.interface, constraints.interface)
    object.add(.from, constraints.source)
    object.add(.mark, constraints.mark.map(Int.init))
    object.add(.family, constraints.family?.description)
    object.add(.namespace, constraints.namespace)
    object.add(.heartbeatSeconds, Int(heartbeat.components.seconds))
    object.add(event: event)
    return object
  }
}
