// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import POSIX
import ReachabilityKit
import Synchronization

/// Where and how `record` writes.
struct RecordingOptions: Equatable {
  /// The options that decide what statuses are about, beside the targets.
  struct Constraints: Equatable {
    /// The interface, as it was given.
    var interface: String?
    var source: String?
    var mark: UInt32?
    /// The only address family; `nil` for both.
    var family: ReachabilityAddress.Family?
    /// The network namespace, as it was given.
    var namespace: String?
  }

  var path: String
  /// The size in bytes after which another file begins.
  var limit = 64 << 20
  /// The number of older files to keep.
  var kept = 3
  var heartbeat = Duration.seconds(60)
  var constraints = Constraints()
}

/// Writes a record to its file, while no thread that adds lines waits for the disk.
final class Recorder: Sendable {
  private let record: Mutex<Record>
  private let writer: Mutex<RecordWriter>
  private let isWriting = Atomic(false)
  private let isSynchronizing = Atomic(false)
  private let interval: Duration
  private let output: StandardOutput
  private let queue = DispatchQueue(label: "reachability.record")
  // Writing must not wait for the disk, since a process that is killed loses the lines that are not written.
  private let synchronizer = DispatchQueue(label: "reachability.record.synchronize")

  /// Opens the file, and begins the record.
  init(
    _ recording: RecordingOptions, of targets: [String], reportingTo output: StandardOutput
  ) throws(UsageError) {
    let file: RecordFile
    do throws(RecordFile.Failure) {
      file = try RecordFile.forAppending(at: recording.path, beginningWith: RecordSchema.beginning)
    } catch {
      throw UsageError(error, recording.path)
    }
    let header = RecordHeader(
      machine: Machine.name, machineID: Machine.identifierHash, boot: Machine.bootIdentifier,
      run: String(UInt64.random(in: 1 << 60 ... .max), radix: 16), targets: targets,
      constraints: recording.constraints, heartbeat: recording.heartbeat)
    record = Mutex(Record(header, fileSize: file.size, limit: recording.limit, at: .recorded))
    writer = Mutex(
      RecordWriter(file, at: recording.path, keeping: recording.kept, reportingTo: output))
    interval = recording.heartbeat
    self.output = output
    writeSoon()
    beat(at: .now + interval)
  }

  /// Adds lines; the closure receives their time.
  func add(_ lines: (inout Record, LineTime) -> Void) {
    record.withLock { lines(&$0, .recorded) }
    writeSoon()
  }

  /// Calls a closure with the time while no line is added, so that all lines before that time have been.
  func pause(_ body: (LineTime) -> Void) { record.withLock { _ in body(.recorded) } }

  /// Opens the file again if another program has moved, removed or cut it; it then begins with all current values.
  func reopen() {
    queue.async { [self] in
      writer.withLock { beginAnewIfChanged($0) }
      write()
    }
  }

  /// Ends the record.
  ///
  /// - Returns: Whether all of its lines are on the disk; `false` also if the disk does not react for some seconds.
  func stop() -> Bool {
    let isComplete = Mutex(false)
    let isDone = DispatchSemaphore(value: 0)
    queue.async { [self] in
      if writer.withLock(\.isFailing) { tryAgain() }
      record.withLock { $0.end(at: .recorded) }
      write()
      synchronize()
      writer.withLock { $0.file.unlock() }
      isComplete.withLock { $0 = self.record.withLock(\.lostCount) == 0 }
      isDone.signal()
    }
    _ = isDone.wait(timeout: .now() + .seconds(5))
    return isComplete.withLock(\.self)
  }

  // MARK: - On the queue

  private func writeSoon() {
    guard !isWriting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.async { [self] in
      isWriting.store(false, ordering: .sequentiallyConsistent)
      write()
    }
  }

  private func write() {
    writer.withLock { writer in
      while true {
        let isWaiting = record.withLock { record in
          if !record.isWaiting, record.isSuspended, !writer.isFailing {
            record.resume(fileSize: writer.fileSize, at: .recorded)
          }
          return record.isWaiting
        }
        guard isWaiting else { return }
        beginAnewIfChanged(writer)
        let rest = writer.perform(record.withLock { $0.removeSteps() })
        record.withLock { if !rest.isEmpty { $0.suspend(losing: rest) } }
        if writer.isFailing { return tryAgainSoon() }
        synchronizeSoon()
      }
    }
  }

  private func beginAnewIfChanged(_ writer: borrowing RecordWriter) {
    if writer.isFileChanged { record.withLock { $0.beginAnew(at: .recorded) } }
  }

  private func tryAgainSoon() {
    DeadlineTimer.call(at: .now + .seconds(1), on: queue) { [weak self] in self?.tryAgain() }
  }

  private func tryAgain() {
    let file = writer.withLock { writer in writer.prepare().map { (isOther: $0, size: writer.fileSize) } }
    guard let file else { return tryAgainSoon() }
    let lost = record.withLock { record in
      defer { record.resume(fileSize: file.size, inOtherFile: file.isOther, at: .recorded) }
      return record.lostCount
    }
    write()
    if !writer.withLock(\.isFailing) { output.say("writing works again, \(lost) lines were lost") }
  }

  private func beat(at time: ContinuousClock.Instant) {
    DeadlineTimer.call(at: time, on: queue) { [weak self] in
      guard let self else { return }
      add { $0.addHeartbeat(at: $1) }
      beat(at: max(time + interval, .now))
    }
  }

  // MARK: - On the disk

  private func synchronizeSoon() {
    guard !isSynchronizing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    DeadlineTimer.call(at: .now + .seconds(1), on: synchronizer) { [self] in
      isSynchronizing.store(false, ordering: .sequentiallyConsistent)
      synchronize()
    }
  }

  private func synchronize() {
    let errors = writer.withLock { $0.removeUnsynchronized() }.compactMap { $0.synchronize() }
    writer.withLock { $0.recordSynchronization(errors.first) }
  }
}
