// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import ServerFrameworks

func greet(_ name: String, monitor: ReachabilityMonitor) async throws -> String {
  try await monitor.withReachability(
    of: ReachabilityTarget("https://greeter.example.com"), deadline: .now + .seconds(60),
    retrying: { ($0 as? RPCError)?.code == .unavailable }
  ) {
    try await withGRPCClient(
      transport: .http2NIOPosix(
        target: .dns(host: "greeter.example.com", port: 443), transportSecurity: .tls)
    ) { client in
      var options = CallOptions.defaults
      options.waitForReady = false
      let greeter = Helloworld_Greeter.Client(wrapping: client)
      return try await greeter.sayHello(.with { $0.name = name }, options: options).message
    }
  }
}
