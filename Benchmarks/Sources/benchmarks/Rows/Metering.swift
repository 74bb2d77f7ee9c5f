// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Row {
  static let metering = Row(
    name: "metering",
    summary:
      "the whole process `reachability path` where a system bus answers, against `dbus-send` and one query"
  ) { bench in
    let label = "path with a bus, and dbus-send"
    guard let command = bench.command, let bus = Bus() else { return [.missing(label)] }
    defer { bus.stop() }
    let ask = [
      "dbus-send", "--system", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
      "org.freedesktop.DBus.ListNames",
    ]
    return Network().inside {
      let count = bench.amount(100, quick: 10)
      let series = bench.contest(
        rounds: bench.amount(9, quick: 3), [{ runs([command, "path"], count) }, { runs(ask, count) }])
      return [Line(label, .milliseconds, series[0], series[1], goal: 1.3)]
    }
  }
}

/// A private system bus of this program.
private struct Bus {
  private let folder: String

  /// `nil` where there is no `dbus-daemon`.
  init?() {
    folder = "/tmp/benchmarks-bus-\(getpid())"
    mkdir(folder, 0o755)
    let settings = """
      <busconfig><type>system</type><listen>unix:path=\(folder)/bus</listen><auth>EXTERNAL</auth>
      <pidfile>\(folder)/pid</pidfile>
      <policy context="default"><allow send_destination="*"/><allow eavesdrop="false"/><allow own="*"/></policy>
      </busconfig>
      """
    guard let file = fopen("\(folder)/settings", "w") else { return nil }
    fputs(settings, file)
    fclose(file)
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
    // It returns once the bus listens.
    guard system("dbus-daemon --config-file=\(folder)/settings --fork 2>/dev/null") == 0 else {
      stop()
      return nil
    }
  }

  func stop() {
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
    system("kill $(cat \(folder)/pid 2>/dev/null) 2>/dev/null; rm -rf \(folder)")
  }
}
