// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import ReachabilityTesting
import ServerFrameworks
import Synchronization

// Runs the recipes: each begins without a network, fails with its framework's error, and succeeds with the network.

struct NoNetwork: Error {}

let up = ReachabilityStatus.reachable(over: .wired)
let down = ReachabilityStatus.notReachable(.noRoute)
let network = SimulatedNetwork(down)
let monitor = ReachabilityMonitor(simulating: network)

/// Runs a recipe; the network returns when its first connection has failed.
@MainActor
func run<Value>(_ name: String, _ recipe: () async throws -> Value) async throws {
  let attempts = AttemptCounter()
  network.setStatus(down)
  Connection.shared.set { [network, up] in
    guard attempts.next() == 1 else { return }
    network.setStatus(up)
    throw NoNetwork()
  }
  _ = try await recipe()
  print("\(name): attempt \(attempts.value) succeeds")
}

final class AttemptCounter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

try await run("AsyncHTTPClient") {
  try await fetch("https://example.com", with: HTTPClient(), monitor: monitor)
}
try await run("gRPC") { try await greet("you", monitor: monitor) }
try await run("Vapor") { try await prices(Request(), monitor: monitor) }

network.setStatus(down)
async let boot: Void = WaitForNetwork(target: .defaultRoute, monitor: monitor).willBootAsync(Application())
network.setStatus(up)
try await boot
print("Vapor: boots with the network")

async let log: Void = NetworkLog(monitor: monitor).run()
for await line in printed.stream where line.hasPrefix("network:") { break }
ServiceGroup.triggerGracefulShutdown()
try await log
let service: any Service = ReachabilityService(observing: .defaultRoute, monitor: monitor) { _ in }
let cancelled = Task { try await service.run() }
cancelled.cancel()
try await cancelled.value
print("service: ends on shutdown and on cancellation")

network.setStatus(up)
let report = monitor.report(.defaultRoute, to: Logger(label: "network"))
var lines = 0
for await line in Backend.lines.stream {
  print(line)
  lines += 1
  if lines == 3 { network.setStatus(down) }
  if lines == 7 { break }
}
report.cancel()
