// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink

@Suite(.deadline) struct WirelessClientTests {
  private static let wireless = MessageType(rawValue: 34)

  /// Lists the recorded families; the Wi-Fi family has the given number, or is missing.
  private static func listing(_ id: UInt16? = 34) -> ScriptedKernel.Turn {
    { requests in
      guard let request = requests.first, let control = try? Fixture("family-control") else { return [] }
      var parts = [control.answering(request, flags: .multipart)]
      if let id {
        parts.append(
          request.message(.familyControl, flags: .multipart) {
            FamilyMessage(id: id, name: "nl80211").encode(into: &$0)
          })
      }
      return parts.map { .kernel($0) } + [.kernel(request.done())]
    }
  }

  /// Answers each request by its index: with a mode, or with the kernel's usual refusal.
  private static func radios(_ types: [Int32: WirelessInterfaceType]) -> ScriptedKernel.Turn {
    { requests in
      requests.map { request in
        let index = request.askedIndex
        guard let type = types[index] else { return .kernel(request.refusal(.noDevice)) }
        return .kernel(
          request.message(request.header.type) {
            WirelessInterfaceMessage(index: index, type: type).encode(into: &$0)
          })
      }
    }
  }

  private static func refusing(_ errno: Errno) -> ScriptedKernel.Turn {
    { requests in requests.map { .kernel($0.refusal(errno)) } }
  }

  @Test func `the recorded answers distinguish radios from other links`() throws {
    let station = try Fixture("radio-station")
    let kernel = ScriptedKernel(
      { requests in
        guard let family = try? Fixture("family-wireless") else { return [] }
        return [.kernel(family.answering(requests[0])), .kernel(requests[0].done())]
      },
      { requests in [.kernel(station.answering(requests[0])), .kernel(requests[1].refusal(.noDevice))] })
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: [27, 29]) == [27: .station])
    // The request must not name the family, or the kernel would load its modules.
    let dump = Request(
      .familyControl, flags: [.request, .dump], sequence: 1, payload: [3, 1, 0, 0])
    let questions = [27, 29].enumerated().map { place, index in
      Request(
        Self.wireless, flags: .request, sequence: 2 + UInt32(place),
        payload: [5, 0, 0, 0, 8, 0, 3, 0, UInt8(index), 0, 0, 0])
    }
    #expect(kernel.sent == [[dump], questions])
  }

  @Test func `an empty list of links sends no request`() throws {
    let kernel = ScriptedKernel()
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: []) == [:])
    #expect(kernel.sent == [])
  }

  @Test func `without the Wi-Fi family each call requests only the list of families`() throws {
    let kernel = ScriptedKernel(
      Self.listing(nil), Self.listing(nil), Self.listing(), Self.radios([2: .station]))
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: [2]) == [:])
    #expect(try client.interfaceTypes(of: [2]) == [:])
    #expect(kernel.sent.count == 2)
    // The module has been loaded meanwhile.
    #expect(try client.interfaceTypes(of: [2]) == [2: .station])
  }

  @Test func `the family's number is resolved once`() throws {
    let kernel = ScriptedKernel(Self.listing(), Self.radios([2: .station]), Self.radios([3: .accessPoint]))
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: [2]) == [2: .station])
    #expect(try client.interfaceTypes(of: [2, 3]) == [3: .accessPoint])
    #expect(
      kernel.sent.map { $0.map(\.header.type) } == [
        [.familyControl], [Self.wireless], [Self.wireless, Self.wireless],
      ])
  }

  @Test func `after a reload of the module the client finds the family's new number`() throws {
    let kernel = ScriptedKernel(
      Self.listing(), Self.radios([2: .station]), Self.refusing(.notFound), Self.listing(35),
      Self.radios([2: .station]))
    var client = WirelessClient(over: kernel)
    _ = try client.interfaceTypes(of: [2])
    #expect(try client.interfaceTypes(of: [2]) == [2: .station])
    #expect(kernel.sent.last?.first?.header.type == MessageType(rawValue: 35))
  }

  @Test func `a family that vanishes after being listed is not resolved again`() throws {
    let kernel = ScriptedKernel(
      Self.listing(), Self.refusing(.notFound), Self.refusing(.notFound), Self.listing(),
      Self.radios([2: .station]))
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: [2]) == [:])
    #expect(try client.interfaceTypes(of: [2]) == [:])
    #expect(kernel.sent.count == 4)
  }

  @Test func `many links are queried in few batches`() throws {
    let types = Dictionary(uniqueKeysWithValues: (1...150).map { (Int32($0), WirelessInterfaceType.station) })
    let kernel = ScriptedKernel(
      Self.listing(), Self.radios(types), Self.radios(types), Self.radios(types))
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: (1...160).map { Int32($0) }) == types)
    #expect(kernel.sent.map(\.count) == [1, 64, 64, 32])
  }

  @Test func `an answer about another link is ignored`() throws {
    let kernel = ScriptedKernel(
      Self.listing(),
      { requests in
        [
          .kernel(
            requests[0].message(requests[0].header.type) {
              WirelessInterfaceMessage(index: 9, type: .station).encode(into: &$0)
            })
        ]
      })
    var client = WirelessClient(over: kernel)
    #expect(try client.interfaceTypes(of: [2]) == [:])
  }

  @Test func `a refusal, or no answer, is an error`() {
    let refused = ScriptedKernel(sendFailure: .accessDenied)
    #expect(throws: NetlinkError(.system, attempt: "list families", errno: .accessDenied)) {
      var client = WirelessClient(over: refused)
      _ = try client.interfaceTypes(of: [2])
    }
    #expect(throws: NetlinkError(.timedOut, attempt: "ask for radios")) {
      var client = WirelessClient(over: ScriptedKernel(Self.listing()))
      _ = try client.interfaceTypes(of: [2])
    }
  }
}

extension Request {
  /// The index in a request for a radio's interface.
  fileprivate var askedIndex: Int32 {
    payload.suffix(4).reversed().reduce(0) { $0 << 8 | Int32($1) }
  }
}
#endif
