// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import RequirementSupport
import Testing

@testable import ReachabilityKit

/// A network with an interface `v0`, a message bus, and a service that imitates NetworkManager.
final class MeteringBus: Sendable {
  let network: NetworkNamespace
  static let address = DBusAddress.path("/run/bus")

  /// - Parameters:
  ///   - hasBus: Whether the bus is started.
  ///   - refused: A method of the bus that it refuses to every caller.
  init(hasBus: Bool = true, refusing refused: String = "") throws {
    network = try NetworkNamespace()
    try network.hideFolders("/run")
    try network.sh("ip link add v0 type veth peer name p0; mkdir /run/services")
    try network.sh(
      "cat >/run/fake.py <<'END'\n\(Self.service)\nEND\ncat >/run/bus.conf <<'END'\n\(Self.settings(refused))\nEND"
    )
    if hasBus { try startBus() }
  }

  deinit {
    for name in ["manager", "bus"] { try? end(name) }
  }

  /// Starts the bus, which ends after two minutes in any case.
  func startBus() throws {
    try network.sh(
      """
      exec >/run/bus.log 2>&1
      setsid timeout 120 dbus-daemon --nofork --config-file=/run/bus.conf & echo $! >/run/bus.pid
      \(Self.wait("[ -S /run/bus ] && \(Self.send) --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId"))
      """)
  }

  /// Starts the service, in the given network.
  ///
  /// - Parameters:
  ///   - metered: The state that it reports for `v0`, an `NMMetered`.
  ///   - prefix: The command that starts it, for example `unshare --net`.
  func startManager(metered: Int, prefix: String = "") throws {
    try network.sh(
      """
      exec >/run/manager.log 2>&1
      setsid \(prefix) timeout 120 /usr/bin/python3 /run/fake.py \(metered) & echo $! >/run/manager.pid
      \(Self.wait("\(Self.send) --dest=org.freedesktop.NetworkManager / test.Control.Ping"))
      """)
  }

  /// Starts NetworkManager itself, restricted to this network as far as possible, and connects `v0`.
  func startNetworkManager() throws {
    try network.sh(
      """
      mount -t tmpfs tmpfs /etc/NetworkManager
      mount -t tmpfs tmpfs /var/lib/NetworkManager
      mount -t sysfs -o ro sysfs /sys
      cat >/etc/NetworkManager/NetworkManager.conf <<'END'
      [main]
      plugins=keyfile
      dns=none
      rc-manager=unmanaged
      hostname-mode=none
      auth-polkit=false
      no-auto-default=*
      END
      ip link set p0 up
      exec >/run/manager.log 2>&1
      export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/bus
      setsid unshare --uts timeout 120 NetworkManager --no-daemon & echo $! >/run/manager.pid
      \(Self.wait("nmcli -t general status"))
      """)
    try nmcli(
      """
      connection add type ethernet ifname v0 con-name w ipv4.method manual ipv4.addresses 10.1.0.1/24 \
      ipv6.method disabled
      """)
    try nmcli("device set v0 managed yes")
    try nmcli("connection up w")
  }

  func nmcli(_ arguments: String) throws {
    try network.sh("DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/bus timeout 20 nmcli \(arguments)")
  }

  /// Why NetworkManager itself cannot run here, or `nil` if it can.
  static let managerSkipReason =
    skipReason ?? .withoutPrograms("NetworkManager", "nmcli")
    ?? .unless("grep -q 4294967295 /proc/self/uid_map", "NetworkManager needs root with all users")

  /// Changes the state that the service reports for `v0`; the service announces it.
  func setMetered(_ value: Int) throws {
    try network.sh("\(Self.send) --dest=org.freedesktop.NetworkManager / test.Control.Set uint32:\(value)")
  }

  /// How many property queries the service received.
  func questionCount() throws -> Int? {
    let reply = try network.sh(
      "\(Self.send) --dest=org.freedesktop.NetworkManager / test.Control.Count")
    return reply.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
  }

  /// Sends forged announcements to every client: a device became metered, and the service disappeared.
  func forgeAnnouncements() throws {
    try network.sh(
      """
      send='timeout 20 dbus-send --bus=unix:path=/run/bus --type=signal'
      for name in $(\(Self.send) --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames | grep -o ':[0-9.]*[0-9]'); do
        $send --dest=$name /org/freedesktop/NetworkManager/Devices/7 org.freedesktop.DBus.Properties.PropertiesChanged \
          string:org.freedesktop.NetworkManager.Device dict:string:uint32:Metered,1 array:string:Metered
        $send --dest=$name /org/freedesktop/DBus org.freedesktop.DBus.NameOwnerChanged \
          string:org.freedesktop.NetworkManager string:$name string:
      done
      """)
  }

  func end(_ name: String) throws {
    // `timeout` forwards the signal and ends after the program. Reaping it may take a moment.
    try network.sh(
      """
      [ -e /run/\(name).pid ] || exit 0
      process=$(cat /run/\(name).pid)
      rm /run/\(name).pid
      kill $process 2>/dev/null
      \(Self.wait("[ ! -e /proc/$process ] || grep -q '^State:.Z' /proc/$process/status"))
      """)
  }

  var interfaceIndex: Int {
    get throws {
      let line = try network.ip("-o link show v0")
      return try #require(line.split(separator: ":").first.flatMap { Int($0) })
    }
  }

  /// Queries on a new connection, with a limit for a busy machine.
  func ask(
    _ addresses: [DBusAddress] = [address], from place: NetworkNamespace? = nil, index: Int? = nil
  ) throws -> Bool? {
    let index = try index ?? interfaceIndex
    let metering = try (place ?? network).run {
      try NetworkManagerMetering(addresses, limit: .seconds(20)) {}
    }
    return try network.run { metering.findOut(interfaceIndex: index) }
  }

  /// Why no bus can be started, or `nil` if one can.
  static let skipReason: SkipReason? = {
    if let skipReason = SkipReason.withoutNamespaces
      ?? .withoutPrograms("dbus-daemon", "dbus-send", "/usr/bin/python3")
    {
      return skipReason
    }
    let test = "/usr/bin/python3 -c 'import dbus.service, gi.repository.GLib'"
    return SkipReason.unless(test, "").map { _ in SkipReason(missing: "python3-dbus or python3-gi") }
  }()

  private static let send = "timeout 20 dbus-send --bus=unix:path=/run/bus --print-reply --type=method_call"

  private static func wait(_ condition: String) -> String {
    "for i in $(seq 400); do { \(condition); } >/dev/null 2>&1 && exit; sleep 0.02; done; exit 1"
  }

  private static func settings(_ refused: String) -> String {
    let refusal = #"<deny send_interface="org.freedesktop.DBus" send_member="\#(refused)"/>"#
    return """
      <busconfig>
        <type>system</type>
        <listen>unix:path=/run/bus</listen>
        <auth>EXTERNAL</auth>
        <servicedir>/run/services</servicedir>
        <policy context="default">
          <allow user="*"/>
          <allow own="*"/>
          <allow send_type="method_call"/>
          <allow send_type="signal"/>
          <allow send_requested_reply="true" send_type="method_return"/>
          <allow send_requested_reply="true" send_type="error"/>
          <allow receive_type="method_call"/>
          <allow receive_type="method_return"/>
          <allow receive_type="error"/>
          <allow receive_type="signal"/>
          \(refused.isEmpty ? "" : refusal)
        </policy>
      </busconfig>
      """
  }

  private static let service = """
    import sys
    import dbus.bus, dbus.mainloop.glib, dbus.service
    from gi.repository import GLib
    NM = "org.freedesktop.NetworkManager"
    metered = int(sys.argv[1])
    gets = 0
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection("unix:path=/run/bus")
    bus.set_exit_on_disconnect(True)
    class Unknown(dbus.DBusException):
        _dbus_error_name = NM + ".UnknownDevice"
    class Manager(dbus.service.Object):
        @dbus.service.method(NM, in_signature="s", out_signature="o")
        def GetDeviceByIpIface(self, name):
            if name != "v0": raise Unknown("no device " + name)
            return dbus.ObjectPath("/org/freedesktop/NetworkManager/Devices/7")
    class Device(dbus.service.Object):
        @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
        def Get(self, interface, name):
            global gets
            gets += 1
            assert (interface, name) == (NM + ".Device", "Metered")
            return dbus.UInt32(metered)
        @dbus.service.signal("org.freedesktop.DBus.Properties", signature="sa{sv}as")
        def PropertiesChanged(self, interface, changed, invalidated): pass
    class Control(dbus.service.Object):
        @dbus.service.method("test.Control")
        def Ping(self): pass
        @dbus.service.method("test.Control", out_signature="u")
        def Count(self): return gets
        @dbus.service.method("test.Control", in_signature="u")
        def Set(self, value):
            global metered
            metered = value
            device.PropertiesChanged(NM + ".Device", {"Metered": dbus.UInt32(value)}, [])
    control = Control(bus, "/")
    manager = Manager(bus, "/org/freedesktop/NetworkManager")
    device = Device(bus, "/org/freedesktop/NetworkManager/Devices/7")
    name = dbus.service.BusName(NM, bus)
    GLib.MainLoop().run()
    """
}

extension NetworkManagerMetering {
  /// Returns whether one interface is metered, queried on the calling thread.
  func findOut(interfaceIndex: Int) -> Bool? { findOut(interfaceIndexes: [interfaceIndex])[interfaceIndex] }

  /// Returns whether one interface is metered, from memory; `nil` while it is unknown.
  func isMetered(interfaceIndex: Int) -> Bool? {
    defer { queryRequested() }
    return knownAnswers(interfaceIndexes: [interfaceIndex])[interfaceIndex]
  }
}
#endif
