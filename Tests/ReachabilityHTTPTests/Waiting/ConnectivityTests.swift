// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import FoundationNetworking
import ReachabilityKit
import ReachabilityTesting
import Testing

@testable import ReachabilityHTTP

/// The failures of requests that are waited for, on simulated networks.
@Suite(.deadline) struct ConnectivityTests {
  private let up = ReachabilityStatus.reachable(over: .wifi)
  private let down = ReachabilityStatus.notReachable(.noRoute)
  private let network: SimulatedNetwork
  private let monitor: ReachabilityMonitor
  /// A unique host name, by which the protocol finds the script.
  private let host = "\(UUID().uuidString.lowercased()).test"
  private var url: URL { get throws { try #require(URL(string: "http://\(host)/")) } }

  private static let unconnected = URLError(.unknown, "Failed to connect to 10.9.0.1 port 80 after 0 ms: no")

  init() {
    network = SimulatedNetwork(.reachable(over: .wifi))
    monitor = ReachabilityMonitor(simulating: network)
  }

  @Test func `without a network no request is made until there is one`() async throws {
    network.setStatus(down)
    let session = ScriptedProtocol.session(for: host) { _ in .success("hello") }
    var waits: [ReachabilityStatus] = []
    let (body, _) = try await session.data(
      from: url, waitingForConnectivity: true, monitor: monitor, jitter: .zero,
      onWait: { status in
        waits.append(status)
        #expect(ScriptedProtocol.runs(of: host) == 0)
        network.setStatus(up)
      })
    #expect(String(decoding: body, as: UTF8.self) == "hello")
    #expect(waits == [down])
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @MainActor
  @Test func `onWait runs on the actor of the caller`() async throws {
    network.setStatus(down)
    let session = ScriptedProtocol.session(for: host) { _ in .success("hello") }
    var waits = 0
    _ = try await session.data(
      from: url, waitingForConnectivity: true, monitor: monitor, jitter: .zero,
      onWait: { _ in
        MainActor.assertIsolated()
        waits += 1
        network.setStatus(up)
      })
    #expect(waits == 1)
  }

  @Test func `a request that is cancelled while it waits throws URLError.cancelled`() async throws {
    network.setStatus(down)
    let session = ScriptedProtocol.session(for: host) { _ in .success("hello") }
    let waiting = AsyncStream.makeStream(of: Void.self)
    let task = Task { [url = try url, monitor] in
      try await session.data(
        from: url, waitingForConnectivity: true, monitor: monitor,
        onWait: { _ in waiting.continuation.yield() })
    }
    for await _ in waiting.stream { break }
    task.cancel()
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(ScriptedProtocol.runs(of: host) == 0)
  }

  @Test func `onWait is called once for several waits`() async throws {
    let (network, up, down) = (network, up, down)
    let isUp = DispatchSemaphore(value: 0)
    // Restores the network as soon as its loss is observed.
    let keeper = monitor.observe(try ReachabilityTarget(host), on: DispatchQueue(label: "keeper")) { event in
      if event.status.isReachable { isUp.signal() } else { network.setStatus(up) }
    }
    defer { keeper.cancel() }
    let session = ScriptedProtocol.session(for: host) { run in
      guard run < 4 else { return .success("hello") }
      // The monitor must observe the recovery first, or it would not observe the loss.
      guard isUp.wait(timeout: .now() + 300) == .success else { return .failure(URLError(.badURL)) }
      network.setStatus(down)
      return .failure(Self.unconnected)
    }
    var waits = 0
    let (body, _) = try await session.data(
      from: url, waitingForConnectivity: true, monitor: monitor, jitter: .zero, onWait: { _ in waits += 1 })
    #expect(String(decoding: body, as: UTF8.self) == "hello")
    #expect(waits <= 1)
    #expect(ScriptedProtocol.runs(of: host) == 4)
  }

  @Test(arguments: [
    URLError(.unknown, "transfer closed with 5 bytes remaining to read"),
    URLError(.unknown, "SSL certificate problem: unable to get local issuer certificate"),
    URLError(.networkConnectionLost, "Recv failure: Connection reset by peer"),
    URLError(.cannotConnectToHost, "Recv failure: Connection timed out"),
    URLError(.timedOut, "The operation could not be completed."),
  ])
  func `a failure that does not prove a missing connection is thrown without waiting`(_ failure: URLError)
    async throws
  {
    let (network, down) = (network, down)
    let session = ScriptedProtocol.session(for: host) { _ in
      network.setStatus(down)
      return .failure(failure)
    }
    let error = await #expect(throws: URLError.self) {
      try await session.data(
        from: url, waitingForConnectivity: true, monitor: monitor, onWait: { _ in Issue.record("waited") })
    }
    #expect(error?.code == failure.code)
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @Test(arguments: [
    URLError(.unknown, "Failed to connect to 10.9.0.1 port 80 after 0 ms: Couldn't connect to server"),
    URLError(.unknown, "Failed to connect to 10.9.0.1 port 80: Network is unreachable"),
    URLError(.cannotConnectToHost, "Failed to connect to 10.9.0.1 port 80: Connection refused"),
    URLError(.timedOut, "Failed to connect to 10.9.0.1 port 80 after 130000 ms: Connection timed out"),
    URLError(.unknown, "Could not resolve proxy: proxy.test"),
    URLError(.cannotFindHost, "Could not resolve host: host.test"),
  ])
  func `a missing connection that the network explains is waited for`(_ failure: URLError) async throws {
    let (network, down) = (network, down)
    let session = ScriptedProtocol.session(for: host) { run in
      if run > 1 { return .success("hello") }
      network.setStatus(down)
      return .failure(failure)
    }
    _ = try await session.data(
      from: url, waitingForConnectivity: true, monitor: monitor, jitter: .zero,
      onWait: { _ in network.setStatus(up) })
    #expect(ScriptedProtocol.runs(of: host) == 2)
  }

  @Test func `a missing connection that the network does not explain is thrown`() async throws {
    let session = ScriptedProtocol.session(for: host) { _ in .failure(Self.unconnected) }
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: url, waitingForConnectivity: true, monitor: monitor)
    }
    #expect(error?.localizedDescription == Self.unconnected.localizedDescription)
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @Test(arguments: ["POST", "PATCH", "post"])
  func `a method that is not idempotent is not repeated after any failure`(_ method: String)
    async throws
  {
    let (network, down) = (network, down)
    let session = ScriptedProtocol.session(for: host) { _ in
      network.setStatus(down)
      return .failure(Self.unconnected)
    }
    var request = URLRequest(url: try url)
    request.httpMethod = method
    let error = await #expect(throws: URLError.self) {
      try await session.data(
        for: request, waitingForConnectivity: true, monitor: monitor,
        onWait: { _ in
          Issue.record("waited")
          network.setStatus(up)
        })
    }
    #expect(error?.localizedDescription == Self.unconnected.localizedDescription)
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @Test(arguments: ["HEAD", "PUT", "DELETE"])
  func `an idempotent method is repeated`(_ method: String) async throws {
    let (network, down) = (network, down)
    let session = ScriptedProtocol.session(for: host) { run in
      if run > 1 { return .success("hello") }
      network.setStatus(down)
      return .failure(Self.unconnected)
    }
    var request = URLRequest(url: try url)
    request.httpMethod = method
    _ = try await session.data(
      for: request, waitingForConnectivity: true, monitor: monitor, jitter: .zero,
      onWait: { _ in network.setStatus(up) })
    #expect(ScriptedProtocol.runs(of: host) == 2)
  }

  @Test func `a body that is a stream is sent only once`() async throws {
    let (network, down) = (network, down)
    let session = ScriptedProtocol.session(for: host) { _ in
      network.setStatus(down)
      return .failure(Self.unconnected)
    }
    var request = URLRequest(url: try url)
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: Data("posted".utf8))
    let error = await #expect(throws: URLError.self) {
      try await session.data(for: request, waitingForConnectivity: true, monitor: monitor)
    }
    #expect(error?.code == .unknown)
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @Test func `a name that does not exist is requested once, unless there is no path`() async throws {
    network.setStatus(.notReachable(.nameNotFound), of: try ReachabilityTarget(host))
    let failure = URLError(.cannotFindHost, "Could not resolve host: \(host)")
    let session = ScriptedProtocol.session(for: host, resource: 0.05) { _ in .failure(failure) }
    await #expect(throws: URLError.self) {
      try await session.data(
        from: url, waitingForConnectivity: true, monitor: monitor, onWait: { _ in Issue.record("waited") })
    }
    #expect(ScriptedProtocol.runs(of: host) == 1)

    network.setStatus(down)
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: url, waitingForConnectivity: true, monitor: monitor)
    }
    #expect(error?.code == .timedOut)
    #expect(ScriptedProtocol.runs(of: host) == 1)
  }

  @Test func `a cached response is not waited for`() async throws {
    network.setStatus(down)
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let request = URLRequest(url: try url, cachePolicy: .returnCacheDataElseLoad)
    let response = URLResponse(
      url: try url, mimeType: nil, expectedContentLength: 5, textEncodingName: nil)
    cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("stale".utf8)), for: request)
    let session = ScriptedProtocol.session(for: host, cache: cache) { _ in .success("fetched") }
    let (body, _) = try await session.data(
      for: request, waitingForConnectivity: true, monitor: monitor, onWait: { _ in Issue.record("waited") })
    #expect(["fetched", "stale"].contains(String(decoding: body, as: UTF8.self)))
  }

  @Test func `a file URL has no host to wait for`() async throws {
    network.setStatus(down)
    let session = ScriptedProtocol.session(for: host) { _ in .success("hello") }
    let url = try #require(URL(string: "file:///nowhere"))
    await #expect(throws: URLError.self) {
      try await session.data(
        from: url, waitingForConnectivity: true, monitor: monitor, onWait: { _ in Issue.record("waited") })
    }
  }

  @Test(
    arguments: [
      (.nan, 1_000_000_000), (.infinity, 1_000_000_000), (-1, 0), (604800, 604800), (0.5, 0.5),
    ] as [(TimeInterval, Double)])
  func `any resource timeout becomes a duration that clocks can add`(
    _ interval: TimeInterval, _ seconds: Double
  ) {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForResource = interval
    #expect(configuration.resourceTimeout == .seconds(seconds))
  }
}
#endif
