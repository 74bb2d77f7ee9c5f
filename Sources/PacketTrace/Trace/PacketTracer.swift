// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX

/// A probe whose packets are traced through nf_tables: what to send, and for how long to wait.
package struct PacketTracer: Sendable {
  package var transport: Flow.Transport
  package var address: ReachabilityAddress
  package var port: UInt16
  /// The index of the interface that packets use.
  package var interface: UInt32?
  package var source: ReachabilityAddress?
  package var mark: UInt32?
  package var timeout: Duration

  package init(
    _ transport: Flow.Transport, to address: ReachabilityAddress, port: UInt16, interface: UInt32? = nil,
    source: ReachabilityAddress? = nil, mark: UInt32? = nil, timeout: Duration
  ) {
    self.transport = transport
    self.address = address
    self.port = port
    self.interface = interface
    self.source = source
    self.mark = mark
    self.timeout = timeout
  }

  /// What became of the probe.
  package struct Result: Sendable {
    package var flow: Flow
    package var log: DecisionLog
    /// Whether something arrived from the other end: a connection, a refusal or a datagram.
    package var isAnswered = false
    /// The error of sending, or one that arrived.
    package var failure: Errno?
    package var hasLosses = false
    package var duration = Duration.zero
    /// What is known about the decision of interest.
    package var rule: FilterRule?
    package var hook: String?

    /// The decision that explains why there is no answer: the probe or an answer was dropped, or something else has it.
    package var decision: DecisionLog.Decision? {
      log.drop ?? log.answerDrop ?? (isAnswered ? nil : log.handover)
    }
  }

  /// The time between two datagrams of UDP, which nothing else repeats.
  private static var interval: Duration { .seconds(1) }

  /// Traces and sends the probe, waits for the first decision or answer, and removes all traces of it.
  ///
  /// Blocks for the time limit at most, and some milliseconds.
  ///
  /// - Parameter randomNumber: A number that cannot be guessed, for the name of the table.
  package func run(randomNumber: UInt64) throws(NetlinkError) -> Result {
    let socket: FlowSocket
    let flow: Flow
    do throws(Errno) {
      socket = try FlowSocket(transport, address.family, interface: interface, source: source, mark: mark)
      flow = Flow(transport, to: address, port: port, from: source, localPort: try socket.localEnd.port)
    } catch {
      throw NetlinkError(.system, attempt: "open a socket for the probe", errno: error)
    }
    let table = TraceTable(for: flow, randomNumber: randomNumber)
    let (traces, owner): (KernelTransport, KernelTransport)
    do throws(Errno) {
      traces = try KernelTransport(.netfilter, receiveBuffer: 1 << 21, exceedsLimit: true)
      try traces.setMembership(.traces, joined: true)
      owner = try KernelTransport(.netfilter)
    } catch {
      throw NetlinkError(.system, attempt: "receive traces", errno: error)
    }
    var subscription = TraceSubscription(over: traces)
    var client = FilterClient(over: owner)
    try client.make(table)
    var result = Result(flow: flow, log: DecisionLog(of: flow, markedBy: table))
    try probe(with: socket, &subscription, &result)
    if let decision = result.decision {
      // The verdict stands even if the rule was removed meanwhile.
      result.rule = try? client.rule(of: decision)
      result.hook = (try? client.firstChain(of: decision))?.hookWord
    }
    return result
  }

  private func probe(
    with socket: FlowSocket, _ subscription: inout TraceSubscription, _ result: inout Result
  ) throws(NetlinkError) {
    let start = Moment.now
    let end = start.advanced(by: timeout)
    var nextDatagram = start
    var isOver = false
    do throws(Errno) {
      try socket.connect(to: address, port: port)
    } catch {
      result.failure = error
      isOver = true
    }
    result.flow.local = (try? socket.localEnd)?.address
    result.log.setLocal(result.flow.local)
    while true {
      if transport == .udp, !isOver, nextDatagram <= .now {
        do throws(Errno) {
          try socket.sendDatagram()
        } catch {
          result.failure = error
        }
        nextDatagram = nextDatagram.advanced(by: Self.interval)
      }
      do throws(Errno) {
        try subscription.receive { result.log.add($0) }
      } catch {
        throw NetlinkError(.system, attempt: "receive traces", errno: error)
      }
      result.hasLosses = subscription.hasLosses
      let now = Moment.now
      result.duration = start.duration(to: now)
      if isOver || result.log.drop != nil || result.log.answerDrop != nil || now >= end { return }
      let wakeUp = transport == .udp ? min(end, nextDatagram) : end
      guard socket.wait(with: subscription.pollDescriptor, atMost: now.duration(to: wakeUp)) else { continue }
      result.failure = socket.failure
      result.isAnswered = result.failure == nil || result.failure?.isAnswer == true
      // What the kernel has announced before is in the queue, and still counts.
      isOver = true
    }
  }
}

extension Errno {
  /// Whether the error is an answer of the other end: `ECONNREFUSED` or `ECONNRESET`.
  fileprivate var isAnswer: Bool { [111, 104].contains(rawValue) }
}
