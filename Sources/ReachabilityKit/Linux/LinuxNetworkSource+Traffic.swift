#if os(Linux)
import CLibrary
import Netlink
import POSIX

extension LinuxNetworkSource: TrafficSource {
  var traffic: (any TrafficSource)? { self }

  func readTraffic() -> TrafficReading {
    trafficReader.withLock { reader in
      if let last = reader.last, last.moment.duration(to: .now) < reader.interval { return last }
      let reading = read(&reader)
      reader.remember(reading)
      return reading
    }
  }

  private func read(_ reader: inout TrafficReader) -> TrafficReading {
    let moment = Moment.now
    var reading = TrafficReading(at: moment)
    do throws(NetlinkError) {
      try reader.open()
      // Before the list, so that nothing is missed between the two.
      reading.counters = reader.counters()
      reading.connections = try reader.connections()
    } catch {
      reading.obstacle = TrafficEvidence.Obstacle(error)
      return reading
    }
    TrafficReading.notePassages(in: &reading.connections, after: reader.last?.connections ?? [])
    let choice = TrafficReading.choice(of: reading.connections)
    let surroundings = callers.withLock { $0.trafficSurroundings(of: choice) }
    reading.samples = surroundings.samples
    let displaced = Set(
      surroundings.samples.lazy.filter { $0.connection.isDisplaced }.map { $0.connection.identity })
    if !displaced.isEmpty {
      for position in reading.connections.indices
      where displaced.contains(reading.connections[position].identity) {
        reading.connections[position].isDisplaced = true
      }
    }
    reading.nextHops = surroundings.nextHops
    reading.hasTunnels = !surroundings.tunnels.isEmpty
    reading.silentTunnels = reader.silentTunnels(surroundings.tunnels, at: moment)
    return reading
  }

  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool {
    guard let before = reading.counters, let now = trafficReader.withLock({ $0.counters() }) else {
      return true
    }
    return now.retransmitted != before.retransmitted || (isQuiet && now.received != before.received)
  }

  func readingInterval(wanted: Duration) -> Duration { max(wanted, trafficReader.withLock { $0.interval }) }

  func index(of interface: ReachabilityTarget.Interface) -> Int32? {
    indexes(of: [interface])[0].flatMap(Int32.init(exactly:))
  }
}

extension TrafficEvidence.Obstacle {
  fileprivate init(_ error: NetlinkError) {
    switch error.errno.map(\.rawValue) {
    case EPERM, EACCES: self = .notPermitted
    case ENOENT, EPROTONOSUPPORT, EAFNOSUPPORT, EOPNOTSUPP, ENOSYS, EINVAL: self = .unsupported
    default: self = .systemError
    }
  }
}
#endif
