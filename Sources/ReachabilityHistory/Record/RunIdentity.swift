/// What tells one run of `record` from others.
struct RunIdentity: Hashable, Sendable {
  /// The longest name of a machine in bytes: the most that POSIX allows (`_POSIX_HOST_NAME_MAX`), four times Linux's.
  static let nameLimit = 255

  /// The host name.
  var machine: String
  /// What tells machines with one host name from each other; `nil` in records of machines and versions without it.
  var machineID: String?
  /// The boot of the machine; runs of one boot share the clock that counts from it.
  var boot: String
  var run: String
  /// The network namespace that was recorded; `nil` for that of the process.
  var namespace: String?
  /// The options of `record` that its statuses depend on, in words, for example `interface eth0, mark 0x42`.
  var constraints = ""

  /// The name of the lane of a target, which differs from that of other options.
  func name(of target: String) -> String { constraints.isEmpty ? target : "\(target) (\(constraints))" }
}

extension [RecordedRun] {
  /// The microseconds between the clock of each boot and the wall clock, by host name: the latest line of the boot counts.
  var clockOffsets: [String: [String: Int]] {
    Dictionary(grouping: self, by: \.identity.machine).mapValues { runs in
      Dictionary(grouping: runs, by: \.identity.boot).mapValues { runs in
        let clock = runs.map(\.clock).max { $0.uptime < $1.uptime } ?? (0, 0)
        return clock.time * 1000 - clock.uptime
      }
    }
  }

  /// The runs of each machine and network namespace, by name.
  ///
  /// A run without an identifier belongs to the machine of its name that had the same boot, or to the only one.
  var machines: [(name: String, runs: [RecordedRun])] {
    var machines: [(name: String, runs: [RecordedRun])] = []
    for (name, runs) in Dictionary(grouping: self, by: \.identity.machine) {
      let known = runs.filter { $0.identity.machineID != nil }
      let boots = Dictionary(known.map { ($0.identity.boot, $0.identity.machineID) }) { first, _ in first }
      let identifiers = Set(known.map(\.identity.machineID))
      let sole = identifiers.count == 1 ? known.first?.identity.machineID : nil
      let all = Dictionary(grouping: runs) { run in
        run.identity.machineID ?? boots[run.identity.boot].flatMap(\.self) ?? sole
      }
      for (identifier, runs) in all {
        let distinction = all.count > 1 ? identifier.map { "machine \($0)" } : nil
        for (namespace, runs) in Dictionary(grouping: runs, by: \.identity.namespace) {
          let words = [distinction, namespace.map { "namespace \($0)" }].compactMap(\.self)
          machines.append((words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))", runs))
        }
      }
    }
    return machines.sorted { $0.name < $1.name }
  }
}
