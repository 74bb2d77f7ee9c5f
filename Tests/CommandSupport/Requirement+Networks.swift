// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import RequirementSupport
import Testing

extension Trait where Self == Requirement {
  /// Skips tests where the kernel creates no tunnels.
  package static var needsTunnels: Self { Self(tunnels) }

  /// Skips tests where no name server can run.
  package static var needsNameServer: Self { Self(NameLab.skipReason) }

  /// Skips tests where a command cannot have its own `/etc`.
  package static var needsOwnSettings: Self { Self(SettingsFolder.skipReason) }

  /// Skips tests where this process cannot become another user.
  package static var needsOtherUser: Self { Self(otherUser) }
}

private let otherUser =
  getuid() != 0
  ? SkipReason("only root can act as another user")
  : SkipReason.unless(
    "setpriv --reuid 65534 --regid 65534 --clear-groups true", "the user 65534 is not mapped here")

private let tunnels =
  SkipReason.withoutNamespaces
  ?? SkipReason.unless(
    "ip link add name vpn0 type vxlan id 1 remote 10.0.0.1 dstport 4789",
    "the kernel makes no VXLAN interfaces")
#endif
