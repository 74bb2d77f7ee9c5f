// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import POSIX
import Testing
@testable import Netlink

@Suite(.deadline) struct PolicyClientTests {
  /// The payload of a policy with a number, as far as the client reads it.
  private static func policy(
    _ index: UInt32, priority: UInt32, isSub: Bool = false, direction: PolicyMessage.Direction = .outgoing
  ) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    var payload = [UInt8](repeating: 0, count: 168)
    payload[40] = AddressFamily.ipv4.rawValue
    payload.replaceSubrange(152..<160, with: bytes(priority) + bytes(index))
    payload[160] = direction.rawValue
    // XFRMA_POLICY_TYPE.
    return payload + [10, 0, 16, 0, isSub ? 1 : 0, 0, 0, 0, 0, 0, 0, 0]
  }

  /// Lists policies in the kernel's order, in which the latest one is the first.
  private static func listing(_ policies: [[UInt8]]) -> ScriptedKernel.Turn {
    { requests in
      policies.map { policy in
        .kernel(requests[0].message(.newPolicy, flags: .multipart) { $0.append(policy) })
      } + [.kernel(requests[0].done())]
    }
  }

  @Test func `policies are in the order in which packets meet them`() throws {
    let kernel = ScriptedKernel(
      Self.listing([
        Self.policy(1, priority: 7), Self.policy(2, priority: 9, isSub: true), Self.policy(3, priority: 5),
        Self.policy(4, priority: 7), Self.policy(5, priority: 8, isSub: true),
        Self.policy(6, priority: 1, direction: .incoming), Self.policy(7, priority: 8, isSub: true),
      ]))
    var client = PolicyClient(over: kernel)
    // Those of the second kind first; of equal priorities, the oldest one.
    #expect(try client.outgoing().map(\.index) == [7, 5, 2, 3, 4, 1])
    #expect(kernel.sent.map { $0.map(\.header.type) } == [[.getPolicy]])
  }

  @Test func `the number of outgoing policies is the second of the kernel's numbers`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [
          .kernel(
            requests[0].message(.newPolicyCounts) { encoder in
              encoder.appendZeros(4)
              // XFRMA_SPD_INFO: incoming, outgoing, forwarded, then those of sockets.
              encoder.append([28, 0, 1, 0, 5, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0] as [UInt8])
              encoder.appendZeros(12)
            })
        ]
      },
      { [.kernel($0[0].refusal(.accessDenied))] })
    var client = PolicyClient(over: kernel)
    #expect(try client.outgoingCount() == 3)
    let refusal = NetlinkError(.refused, attempt: "count IPsec policies", errno: .accessDenied)
    #expect(throws: refusal) {
      var client = PolicyClient(over: kernel)
      _ = try client.outgoingCount()
    }
  }

  @Test func `a message of another type is no number of policies`() {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].message(.newPolicy) { $0.append(Self.policy(1, priority: 1)) })]
    })
    #expect(throws: NetlinkError(.timedOut, attempt: "count IPsec policies")) {
      var client = PolicyClient(over: kernel)
      _ = try client.outgoingCount()
    }
  }
}
#endif
