// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport
import POSIX
import Synchronization
@testable import Netlink

/// The nl80211 of a scripted kernel: the links of radios, and the queries it received.
final class ScriptedRadios: Transport {
  fileprivate struct State {
    var radios: Set<Int32>
    var isLoaded = true
    var failure: Errno?
    var answers: [[UInt8]] = []
    var listings = 0
    var asked: [Int32] = []
  }

  private let state: Mutex<State>

  init(_ radios: Set<Int32> = []) {
    state = Mutex(State(radios: radios))
  }

  /// The number of times the families were listed.
  var listings: Int { state.withLock { $0.listings } }
  /// The queried links, in order.
  var asked: [Int32] { state.withLock { $0.asked } }

  /// Sets the links of radios; `nil` unloads the kernel's module.
  func set(_ radios: Set<Int32>?) {
    state.withLock { state in
      state.isLoaded = radios != nil
      state.radios = radios ?? []
    }
  }

  /// Makes every send fail from now on; without an error number, no answer arrives.
  func fail(_ errno: Errno?) {
    state.withLock { $0.failure = errno ?? .wouldBlock }
  }

  // MARK: Transport

  private static var family: UInt16 { 34 }
  var pollDescriptor: CInt { -1 }
  var port: UInt32 { 1003 }

  func send(_ bytes: RawSpan) throws(Errno) {
    let failure = state.withLock { $0.failure }
    if let failure, failure != .wouldBlock { throw failure }
    var reader = MessageReader(in: 0..<bytes.byteCount)
    while let message = try? reader.next(bytes) {
      let question = try? WirelessInterfaceMessage(decoding: bytes, in: message.payload)
      state.withLock { $0.take(message.header, about: question?.index) }
    }
  }

  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    guard let bytes = state.withLock({ $0.answers.isEmpty ? nil : $0.answers.removeFirst() }) else {
      throw .wouldBlock
    }
    buffer.replaceSubrange(0..<bytes.count, with: bytes)
    return Datagram(count: bytes.count, senderPort: 0)
  }

  func setFilter(_ filter: SocketFilter?) throws(Errno) {}

  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {}
}

extension ScriptedRadios.State {
  fileprivate mutating func take(_ header: MessageHeader, about index: Int32?) {
    if header.type == .familyControl { listings += 1 } else if let index { asked.append(index) }
    guard failure == nil else { return }
    guard header.type == .familyControl else {
      guard let index, radios.contains(index) else { return refuse(header, .noDevice) }
      return answer(header.type, to: header) {
        WirelessInterfaceMessage(index: index, type: .station).encode(into: &$0)
      }
    }
    for (id, name) in [(16, "nlctrl"), (34, "nl80211")] as [(UInt16, String)] where id == 16 || isLoaded {
      answer(.familyControl, to: header) { FamilyMessage(id: id, name: name).encode(into: &$0) }
    }
    answer(.done, to: header) { $0.append(Int32(0)) }
  }

  private mutating func refuse(_ header: MessageHeader, _ errno: Errno) {
    answer(.error, .capped, to: header) {
      $0.append(-errno.rawValue)
      $0.appendZeros(MessageHeader.size)
    }
  }

  private mutating func answer(
    _ type: MessageType, _ flags: MessageFlags = [], to header: MessageHeader,
    _ encode: (inout MessageEncoder) -> Void
  ) {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: flags, sequence: header.sequence, port: 1003)
    encode(&encoder)
    encoder.endMessage()
    answers.append(encoder.bytes)
  }
}
#endif
