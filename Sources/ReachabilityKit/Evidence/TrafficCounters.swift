/// The counters of a network's TCP segments.
package struct TrafficCounters: Hashable, Sendable {
  /// The number of received segments, `Tcp: InSegs`.
  package var received: UInt64
  /// The number of retransmitted segments, `Tcp: RetransSegs`.
  package var retransmitted: UInt64

  package init(received: UInt64, retransmitted: UInt64) {
    self.received = received
    self.retransmitted = retransmitted
  }

  /// Reads the text of `/proc/net/snmp`: for each protocol a line of names, then one of values.
  ///
  /// Returns `nil` if it lacks the counters.
  package init?(_ text: [UInt8]) {
    let prefix = Array("Tcp: ".utf8)
    let lines = text.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: prefix) }
    guard lines.count == 2 else { return nil }
    let names = lines[0].split(separator: UInt8(ascii: " "))
    let values = lines[1].split(separator: UInt8(ascii: " "))
    func value(_ name: String) -> UInt64? {
      guard let place = names.firstIndex(where: { $0.elementsEqual(name.utf8) }), place < values.count else {
        return nil
      }
      return UInt64(String(decoding: values[place], as: UTF8.self))
    }
    guard let received = value("InSegs"), let retransmitted = value("RetransSegs") else { return nil }
    self.init(received: received, retransmitted: retransmitted)
  }
}
