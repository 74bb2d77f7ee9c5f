#if os(Linux)
import LiveSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips tests where no network namespace can be created, with the reason.
  package static var needsNamespaces: Self {
    .enabled(if: NetworkNamespace.unavailable == nil, "\(NetworkNamespace.unavailable ?? "")")
  }

  /// Skips tests where the kernel creates no tunnels.
  package static var needsTunnels: Self {
    .enabled("the kernel makes no VXLAN interfaces") {
      guard NetworkNamespace.unavailable == nil else { return false }
      return try NetworkNamespace().shell(
        "ip link add name vpn0 type vxlan id 1 remote 10.0.0.1 dstport 4789"
      ).status
        == 0
    }
  }

  /// Skips tests where no name server can run, with the reason.
  package static var needsNameServer: Self {
    .enabled(if: NameLab.unavailable == nil, "\(NameLab.unavailable ?? "")")
  }

  /// Skips tests where a command cannot have its own `/etc`.
  package static var needsOwnSettings: Self {
    .enabled("no file can be mounted over /etc for one command alone") {
      guard NetworkNamespace.unavailable == nil else { return false }
      return try NetworkNamespace().shell(SettingsFolder.requirement).status == 0
    }
  }
}
#endif
