// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX
import Synchronization

/// A network that is asked over sockets which another process opened there, such as a copy of this machine's network.
///
/// It evaluates as a monitor does, and observes nothing.
package final class NetworkReader: Sendable {
  private let tracker: Mutex<NetworkTracker>
  private let surroundings: PathSurroundings

  /// - Parameters:
  ///   - events: A socket of rtnetlink, which receives the announcements.
  ///   - questions: A second one.
  ///   - datagrams: A socket for IPv6 datagrams, which chooses sources; without one, IPv6 sources are not known where no
  ///     route exists for packets without a source.
  ///   - rootUser: The user that stands for the user 0 there; `nil` if none does.
  ///   - originals: The links that virtual cables stand for, of the same index and name.
  /// - Throws: ``ReachabilityMonitorError`` if the network's tables can't be read.
  package init(
    events: any Transport, questions: any Transport, datagrams: consuming FileDescriptor?,
    rootUser: UInt32?, originals: [LinkMessage]
  ) throws(ReachabilityMonitorError) {
    let files = NameAccess.here.files
    surroundings = PathSurroundings(
      resolverFile: files.paths.first.map(ResolverFile.init), nameFiles: files, metering: nil)
    let sources: SourceChooser? =
      switch consume datagrams {
      case .some(let socket): SourceChooser(over: socket)
      case nil: nil
      }
    do throws(NetlinkError) {
      var tracker = NetworkTracker(
        events: events, questions: questions,
        classifier: LinkClassifier(wireless: try? KernelTransport(.generic)), sources: sources)
      tracker.setOriginals(originals)
      tracker.rootUser = rootUser
      try tracker.start(NetworkTracker.callerGroups)
      self.tracker = Mutex(tracker)
    } catch {
      throw ReachabilityMonitorError(error)
    }
  }

  /// Evaluates a target now.
  ///
  /// - Parameter addresses: The addresses of a host, since names are not looked up here.
  package func status(
    of target: ReachabilityTarget, _ addresses: [ReachabilityStatus.ResolvedAddress] = []
  ) -> ReachabilityStatus {
    guard case .host = target.destination else { return tracker.withLock { $0.evaluate(target).status } }
    let answer = NameAnswer.addresses(addresses.map { NamedAddress($0.address, zone: $0.zone) })
    return answer.evaluation(
      of: answer.targets(for: target).map { target in tracker.withLock { $0.evaluate(target) } }
    ).status
  }

  /// The path now, without what NetworkManager knows.
  package var path: ReachabilityPath {
    guard let servers = surroundings.nameServers?.list else { return PathEvaluation.unknown(for: nil).path }
    return tracker.withLock { $0.evaluatePath(servers).path }
  }

  /// An interface by its name, and whether it carries packets.
  package struct Holder: Equatable, Sendable {
    package var index: Int32
    package var name: String
    package var isUp: Bool
    /// Whether packets leave, but get no further until something else has happened, for example authentication (802.1X).
    package var isDormant: Bool
  }

  /// The interface with an index; `nil` if there is none.
  package func interface(_ index: Int32?) -> Holder? {
    tracker.withLock { tracker in
      tracker.update()
      return index.flatMap { tracker.holder($0) }
    }
  }

  /// The interface that has a local address; `nil` if none has it.
  package func holder(of address: ReachabilityAddress) -> Holder? {
    tracker.withLock { tracker in
      tracker.update()
      return tracker.networkState.interface(having: address).flatMap { tracker.holder($0) }
    }
  }

  /// Looks up the routes of packets; `nil` where the kernel did not answer.
  package func routes(of requests: [RouteRequest]) -> [Result<RouteMessage, Errno>?] {
    tracker.withLock { tracker in
      var answers = [Result<RouteMessage, Errno>?](repeating: nil, count: requests.count)
      let root = tracker.rootUser ?? 0
      try? tracker.client.lookUp(requests.count) { place in
        var request = requests[place]
        if request.userID == 0 { request.userID = root }
        return request
      } answer: {
        place, bytes, message throws(DecodingError) in
        answers[place] = try message.lookup(of: bytes)
      }
      return answers
    }
  }
}

extension NetworkTracker {
  fileprivate func holder(_ index: Int32) -> NetworkReader.Holder? {
    networkState.links[index].map {
      NetworkReader.Holder(
        index: index, name: $0.interface.name, isUp: $0.condition == .up, isDormant: $0.condition == .dormant)
    }
  }
}

extension ReachabilityMonitorError {
  init(_ error: NetlinkError) {
    self.init(
      .systemUnavailable, errorNumber: error.errno?.rawValue,
      description: "the kernel's network tables can't be read: \(error)")
  }
}
#endif
