// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import TestSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct LinkAddressesTests {
  /// An address in one of a few prefixes; some are IPv6, some unusable, some link-local.
  private func random(using generator: inout some RandomNumberGenerator) -> AddressMessage? {
    let number = UInt32.random(in: 0..<60, using: &generator)
    let flags: AddressFlags =
      [[], .permanent, .unchecked, .duplicate, .tentative].randomElement(using: &generator) ?? []
    let isLong = Bool.random(using: &generator)
    let address: ReachabilityAddress =
      switch number % 3 {
      case 0: .v4(.init(rawValue: 0x0a01_0000 | number << 6))
      case 1: .v6(.init(rawValue: 0xfd00 << 112 | UInt128(number) << 60))
      default: .v6(.init(rawValue: 0xfe80 << 112 | UInt128(number)))
      }
    let length = address.bitWidth == 32 ? (isLong ? 32 : 20) : isLong ? 128 : 64
    return IPPrefix(address, length: length).map {
      AddressMessage(address: address, prefix: $0, flags: flags)
    }
  }

  /// The number of addresses passes the threshold of the index in both directions.
  @Test(arguments: 1...8)
  func `an index finds the same addresses as a list`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var addresses = LinkAddresses()
    var model: [AddressMessage] = []
    for step in 0..<3000 {
      let address = try #require(random(using: &generator))
      let place = model.firstIndex { $0.address == address.address && $0.prefix == address.prefix }
      // The list grows and shrinks alternately.
      if Int.random(in: 0..<10, using: &generator) < (step / 500 % 2 == 0 ? 8 : 3) {
        let isChange = place.map { model[$0] != address } ?? true
        if let place { model[place] = address } else { model.append(address) }
        #expect(addresses.update(address) == isChange)
      } else {
        if let place { model.remove(at: place) }
        #expect(addresses.remove(address) == (place != nil))
      }
      if step % 400 == 0 {
        addresses.expectDuplicateDetection()
        for index in model.indices
        where model[index].address.bitWidth == 128 && !model[index].flags.contains(.unchecked) {
          model[index].flags.insert(.tentative)
        }
      }
      let other = try #require(random(using: &generator)).address
      #expect(addresses.isAssigned(other) == model.contains { $0.address == other })
      #expect(addresses.isUsable(other) == model.contains { $0.address == other && $0.isUsable })
      #expect(addresses.isInPrefix(other) == model.contains { $0.prefix.contains(other) })
      let sources = model.contains { $0.address.bitWidth == 128 && !$0.address.isOfLink && $0.isUsable }
      #expect(addresses.hasSourceBeyondLink == sources)
      if step % 50 == 0 { #expect(addresses.sorted() == model.sorted(), "step \(step)") }
    }
    #expect(model.count > 0)
  }

  @Test func `the prefix of a destination is found among more prefixes than address bits`() {
    var addresses = LinkAddresses()
    for number: UInt32 in 0..<200 {
      let address = ReachabilityAddress.v4(.init(rawValue: 0x0a00_0000 | number << 8))
      guard let prefix = IPPrefix(address, length: 24 + Int(number % 4)) else { continue }
      _ = addresses.update(AddressMessage(address: address, prefix: prefix))
    }
    #expect(addresses.isInPrefix("10.0.4.200"))
    #expect(!addresses.isInPrefix("10.0.5.200"))
    #expect(!addresses.isInPrefix("10.0.200.1"))
    #expect(!addresses.isInPrefix("fd00::1"))
  }
}
#endif
