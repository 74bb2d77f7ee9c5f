// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import Foundation
import LiveSupport

/// The loop of one thread that relays all packets, plays all scenarios, and is all servers.
final class Stage {
  private enum Task {
    case connect(World, Int, Scenario.Connection)
    case change(World, Int, Scenario.Change)
    case end(World, Int)
    case act(UInt64)
    case reply(UInt64, Int)
    case accept(UInt64)
  }

  private let epoll = traffic_epoll()
  private let worlds: [World]
  private let server: Int32
  private var relay = Relay()
  private var tasks = Heap<Task>()
  private var endpoints: [UInt64: Endpoint] = [:]
  private var lastKey: UInt64 = 1 << 32
  private var generation = 0
  private var events = [traffic_event](repeating: traffic_event(), count: 128)
  /// Gives the next scenario, and takes the results.
  private let next: (World) -> Scenario?
  private let judge: (World, Player, [Desk.Poll]) -> Void
  private var running = 0
  /// The number of connections that could not be made, for want of descriptors for example.
  private(set) var failures = 0

  init(
    _ worlds: [World], server: Int32, next: @escaping (World) -> Scenario?,
    judge: @escaping (World, Player, [Desk.Poll]) -> Void
  ) throws {
    (self.worlds, self.server, self.next, self.judge) = (worlds, server, next, judge)
    for (place, world) in worlds.enumerated() {
      _ = traffic_watch(epoll, world.tunnels.client, UInt64(place) << 1 | 1, 0)
      _ = traffic_watch(epoll, world.tunnels.server, UInt64(place) << 1, 0)
    }
    guard traffic_enter(server) == 0 else { throw Failure("cannot enter a network namespace") }
    for service in Endpoint.Service.allCases {
      let any = traffic_address(.v6(.init(rawValue: 0)), port: service.rawValue)
      guard listen(service, any, backlog: 4096, nil) != nil else { throw Failure("cannot listen") }
    }
  }

  /// Plays until there are no more scenarios, or until a time.
  func run() {
    let now = traffic_now()
    // The worlds begin at different times, so that their polls and ends are spread.
    for (place, world) in worlds.enumerated() {
      running += 1
      tasks.insert(.end(world, 0), at: now + Int64(place) * 4_000_000_000 / Int64(worlds.count))
    }
    var last = now
    while running > 0 {
      let now = traffic_now()
      // Packets wait for this long at the tunnel devices.
      if now - last > Self.longTurn { for world in worlds { world.record.isDisturbed = true } }
      last = now
      let due = min(relay.due ?? .max, tasks.due ?? .max)
      let pause = max(min(due == .max ? 1_000_000_000 : due - now, 1_000_000_000), 0)
      let count = Int(unsafe traffic_wait(epoll, &events, Int32(events.count), pause))
      // Waiting is no delay, unless the processor was given to others.
      last = max(last, min(traffic_now(), last + pause))
      for place in 0..<count { handle(events[place]) }
      relay.deliver(until: traffic_now())
      for _ in 0..<64 {
        guard let (_, task) = tasks.next(until: traffic_now()) else { break }
        perform(task)
      }
    }
  }

  /// A turn of the loop that takes longer than this many nanoseconds falsifies the scenarios of that time.
  private static let longTurn: Int64 = 120_000_000

  private func handle(_ event: traffic_event) {
    if event.key < 1 << 32 {
      relay.take(worlds[Int(event.key >> 1)], isUp: event.key & 1 == 1)
    } else if let endpoint = endpoints[event.key] {
      switch endpoint.role {
      case .listener(let service):
        // A storm's listener accepts later.
        if endpoint.world == nil || endpoint.header.isEmpty { accept(endpoint, service) }
      case .client(let connection): handle(event, endpoint, connection)
      case .server(let service): handle(event, endpoint, service)
      }
    }
  }

  private func later(_ milliseconds: Int) -> Int64 { traffic_now() + Int64(milliseconds) * 1_000_000 }

  // MARK: Scenarios

  private func perform(_ task: Task) {
    switch task {
    case .connect(let world, let generation, let connection):
      guard let player = world.player, player.generation == generation else { return }
      connect(connection, world, player)
    case .change(let world, let generation, let change):
      guard let player = world.player, player.generation == generation else { return }
      perform(change, world, player)
    case .end(let world, let generation):
      if let player = world.player, player.generation == generation { end(world, player) }
      begin(world)
    case .act(let key):
      if let endpoint = endpoints[key], case .client(let connection) = endpoint.role {
        act(endpoint, connection)
      }
    case .reply(let key, let count): endpoints[key]?.send(zeros: count)
    case .accept(let key):
      guard let endpoint = endpoints[key], case .listener(let service) = endpoint.role else { return }
      endpoint.header = []
      accept(endpoint, service)
    }
  }

  private func begin(_ world: World) {
    guard let scenario = next(world) else {
      running -= 1
      return
    }
    generation += 1
    let player = Player(scenario, generation: generation)
    world.player = player
    world.record = Record()
    world.random = SeededGenerator(seed: scenario.seed ^ 0x5eed)
    world.rules = [Rule](repeating: Rule(), count: Peer.limit)
    for (slot, rule) in scenario.rules { world.rules[slot] = rule }
    for connection in scenario.connections {
      tasks.insert(.connect(world, generation, connection), at: later(connection.start))
    }
    for change in scenario.changes {
      tasks.insert(.change(world, generation, change), at: later(change.time))
    }
    tasks.insert(.end(world, generation), at: later(scenario.length))
    world.desk.begin(scenario.questions)
  }

  private func perform(_ change: Scenario.Change, _ world: World, _ player: Player) {
    let now = traffic_now()
    if change.beginsCut {
      player.cut = now
      for endpoint in player.endpoints.values where endpoint.isConnected {
        guard let flow = endpoint.flow else { continue }
        let timeout = traffic_timeout(endpoint.descriptor)
        guard timeout > 0 else { continue }
        world.record.flows[flow]?.timeout = Int64(timeout) * 1_000_000
        world.record.flows[flow]?.losses = traffic_losses(endpoint.descriptor)
      }
    } else if change.endsCut {
      player.healed = now
    } else if change.failsOver {
      if (try? world.moveRoutes(toSecond: true)) == nil { failures += 1 }
      player.failover = traffic_now()
    } else if change.dropsHere {
      player.droppedHere = traffic_now()
      if (try? world.dropOutgoing(true)) == nil { failures += 1 }
    } else {
      player.jumps.append(now)
    }
    for (slot, rule) in change.rules { world.rules[slot] = rule }
  }

  private func end(_ world: World, _ player: Player) {
    let polls = world.desk.end()
    judge(world, player, polls)
    world.removeRemains()
    if player.failover != nil, (try? world.moveRoutes(toSecond: false)) == nil { failures += 1 }
    if player.droppedHere != nil, (try? world.dropOutgoing(false)) == nil { failures += 1 }
    for endpoint in player.endpoints.values { close(endpoint, aborts: true) }
    world.player = nil
  }

  // MARK: Sockets

  private func add(
    _ role: Endpoint.Role, _ descriptor: Int32, _ world: World?, forWriting: Bool = true
  ) -> Endpoint? {
    lastKey += 1
    guard traffic_watch(epoll, descriptor, lastKey, forWriting ? 1 : 0) == 0 else {
      traffic_close(descriptor)
      return nil
    }
    let endpoint = Endpoint(role, descriptor, key: lastKey, world: world)
    endpoints[lastKey] = endpoint
    world?.player?.endpoints[lastKey] = endpoint
    return endpoint
  }

  private func close(_ endpoint: Endpoint, aborts: Bool) {
    if let flow = endpoint.flow { endpoint.world?.record.flows[flow]?.closed = traffic_now() }
    endpoint.close(aborts: aborts)
    endpoints[endpoint.key] = nil
    endpoint.world?.player?.endpoints[endpoint.key] = nil
  }

  private func listen(
    _ service: Endpoint.Service, _ address: traffic_address, backlog: Int32, _ world: World?
  ) -> Endpoint? {
    let descriptor = traffic_listen(address, backlog)
    guard descriptor >= 0 else {
      failures += 1
      return nil
    }
    if service == .deaf { traffic_limit_window(descriptor, 4096) }
    // A scenario's own listener may accept late: it is reported once.
    return add(.listener(service), descriptor, world, forWriting: world != nil)
  }

  private func accept(_ listener: Endpoint, _ service: Endpoint.Service) {
    var peer = traffic_address()
    for _ in 0..<64 {
      let descriptor = unsafe traffic_accept(listener.descriptor, &peer)
      guard descriptor >= 0 else { return }
      let number = peer.world
      let world = listener.world ?? (worlds.indices.contains(number) ? worlds[number] : nil)
      guard let world, world.player != nil, let endpoint = add(.server(service), descriptor, world) else {
        traffic_abort(descriptor)
        continue
      }
      if service == .halfClosed { traffic_finish(endpoint.descriptor) }
      if service == .stream { tasks.insert(.reply(endpoint.key, 300), at: later(100)) }
    }
  }

  private func connect(_ connection: Scenario.Connection, _ world: World, _ player: Player) {
    switch connection.behaviour {
    case .storm(let count, let backlog, let acceptance):
      guard traffic_enter(server) == 0 else { return }
      let address = traffic_address(
        Peer(slot: connection.slot).address(in: world.number), port: Endpoint.Service.stormPort)
      guard let listener = listen(.exchange, address, backlog: Int32(backlog), world) else { return }
      listener.header = [1]
      tasks.insert(.accept(listener.key), at: later(acceptance))
      for _ in 0..<count { open(connection, port: Endpoint.Service.stormPort, world) }
    case .local(let isLoopback, let isDeaf):
      guard traffic_enter(world.namespace) == 0 else { return }
      let port = Endpoint.Service.localPort + UInt16(player.random.below(1000))
      let own = isLoopback ? .v4(.init(rawValue: 127 << 24 | 1)) : Peer.client(world.number).v4
      let address = traffic_address(own, port: port)
      guard listen(isDeaf ? .deaf : .exchange, address, backlog: 8, world) != nil else { return }
      let descriptor = traffic_connect(address)
      if descriptor >= 0 { _ = add(.client(connection), descriptor, world) }
    case .upload: open(connection, port: Endpoint.Service.sink.rawValue, world)
    case .download: open(connection, port: Endpoint.Service.source.rawValue, world)
    case .deafServer: open(connection, port: Endpoint.Service.deaf.rawValue, world)
    case .halfClosedByClient: open(connection, port: Endpoint.Service.stream.rawValue, world)
    case .halfClosedByServer: open(connection, port: Endpoint.Service.halfClosed.rawValue, world)
    case .exchange, .idle, .short, .dead: open(connection, port: Endpoint.Service.exchange.rawValue, world)
    }
  }

  private func open(_ connection: Scenario.Connection, port: UInt16, _ world: World) {
    guard traffic_enter(world.namespace) == 0 else { return }
    let peer = Peer(slot: connection.slot)
    let descriptor = traffic_connect(traffic_address(peer.address(in: world.number), port: port))
    guard descriptor >= 0, let endpoint = add(.client(connection), descriptor, world) else {
      failures += 1
      return
    }
    let flow = UInt64(connection.slot) << 32 | UInt64(traffic_port(descriptor)) << 16 | UInt64(port)
    endpoint.flow = flow
    // Not with the first packet that is seen, which may be one of the scenario before.
    world.record.flows[flow] = Record.Flow(slot: connection.slot)
    if case .idle(true) = connection.behaviour { traffic_keep_alive(descriptor, 1) }
  }

  // MARK: Clients

  private func handle(_ event: traffic_event, _ endpoint: Endpoint, _ connection: Scenario.Connection) {
    if !endpoint.isConnected {
      if event.isClosed || traffic_is_connected(endpoint.descriptor) == 0 {
        if event.isClosed { close(endpoint, aborts: true) }
        return
      }
      endpoint.isConnected = true
      begin(endpoint, connection)
    }
    if event.isWritable { endpoint.flush() }
    guard event.isReadable || event.isClosed else { return }
    let (count, _, isEnded) = endpoint.read()
    endpoint.expected -= count
    if event.isClosed { return close(endpoint, aborts: true) }
    if endpoint.expected <= 0, count > 0 { complete(endpoint, connection) }
    if isEnded, endpoint.isOpen, connection.behaviour.endsWithServer { close(endpoint, aborts: false) }
  }

  private func begin(_ endpoint: Endpoint, _ connection: Scenario.Connection) {
    switch connection.behaviour {
    case .deafServer: endpoint.send(zeros: 100_000)
    case .local(_, isDeaf: true): endpoint.send(zeros: 1_000_000)
    case .halfClosedByClient:
      endpoint.send(zeros: 100)
      traffic_finish(endpoint.descriptor)
    default: act(endpoint, connection)
    }
  }

  /// Sends the next request, or some more of an upload.
  private func act(_ endpoint: Endpoint, _ connection: Scenario.Connection) {
    guard endpoint.isOpen else { return }
    func request(_ size: Int, _ reply: Int, _ thinking: Int = 0) {
      let rest = max(size - Endpoint.headerSize, 0)
      endpoint.expected = reply
      endpoint.send(Endpoint.request(rest, reply: reply, thinking: thinking), zeros: rest)
    }
    switch connection.behaviour {
    case .exchange(_, let size, let reply, let thinking): request(size, reply, thinking)
    case .download(_, let bytes): request(Endpoint.headerSize, bytes)
    case .idle, .short, .local, .storm: request(100, 100)
    case .upload(let interval, let bytes):
      if endpoint.zeros < 65536 { endpoint.send(zeros: bytes) }
      again(endpoint, interval)
    case .halfClosedByServer(let interval):
      if endpoint.zeros < 65536 { endpoint.send(zeros: 500) }
      again(endpoint, interval)
    case .deafServer, .halfClosedByClient, .dead: break
    }
  }

  /// A reply is complete.
  private func complete(_ endpoint: Endpoint, _ connection: Scenario.Connection) {
    switch connection.behaviour {
    case .exchange(let interval, _, _, _), .download(let interval, _): again(endpoint, interval)
    case .local: again(endpoint, 200)
    case .short(let interval):
      guard let world = endpoint.world, let player = world.player else { return }
      close(endpoint, aborts: false)
      let pause = player.random.number(interval / 2..<interval * 3 / 2)
      tasks.insert(.connect(world, player.generation, connection), at: later(pause))
    default: break
    }
  }

  private func again(_ endpoint: Endpoint, _ interval: Int) {
    guard let player = endpoint.world?.player else { return }
    tasks.insert(.act(endpoint.key), at: later(player.random.number(interval / 2..<interval * 3 / 2)))
  }

  // MARK: Servers

  private func handle(_ event: traffic_event, _ endpoint: Endpoint, _ service: Endpoint.Service) {
    if event.isClosed, !event.isReadable { return close(endpoint, aborts: true) }
    if event.isWritable { endpoint.flush() }
    guard event.isReadable, service != .deaf else { return }
    let (count, first, isEnded) = endpoint.read()
    switch service {
    case .exchange, .source: serve(endpoint, count, first)
    case .stream where endpoint.isOpen && count > 0: stream(endpoint)
    default: break
    }
    if isEnded, service != .stream || event.isClosed { close(endpoint, aborts: false) }
  }

  private func serve(_ endpoint: Endpoint, _ count: Int, _ first: [UInt8]) {
    // One request at a time, so the first bytes that were read are those of the header.
    let missing = Endpoint.headerSize - endpoint.header.count
    if missing > 0 { endpoint.header += first.prefix(missing) }
    endpoint.received += count
    guard endpoint.header.count == Endpoint.headerSize else { return }
    let (rest, reply, thinking) = endpoint.announced
    guard endpoint.received >= Endpoint.headerSize + rest else { return }
    endpoint.received = 0
    endpoint.header = []
    if thinking > 0 {
      tasks.insert(.reply(endpoint.key, reply), at: later(thinking))
    } else {
      endpoint.send(zeros: reply)
    }
  }

  private func stream(_ endpoint: Endpoint) {
    for turn in 1..<40 { tasks.insert(.reply(endpoint.key, 300), at: later(150 * turn)) }
  }
}

extension traffic_event {
  fileprivate var isReadable: Bool { is_readable != 0 }
  fileprivate var isWritable: Bool { is_writable != 0 }
  /// Whether the connection failed, or both directions ended.
  fileprivate var isClosed: Bool { is_closed != 0 }
}

extension Scenario.Behaviour {
  /// Whether the client closes once the server has ended its direction.
  fileprivate var endsWithServer: Bool {
    if case .halfClosedByServer = self { false } else { true }
  }
}
