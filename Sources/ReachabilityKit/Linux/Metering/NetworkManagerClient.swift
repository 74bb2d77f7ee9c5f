// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import POSIX

/// A connection to NetworkManager over the system bus.
struct NetworkManagerClient: ~Copyable {
  private static var busName: String { "org.freedesktop.DBus" }
  private static var name: String { "org.freedesktop.NetworkManager" }

  /// The connection, whose deadline is that of the current query.
  var connection: DBusConnection
  private let probe: NamespaceProbe
  /// This connection's name on the bus.
  private var ownName = ""

  /// Connects to the bus; ``introduce()`` has to be the first call.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the bus; the first that accepts is used.
  ///   - probe: A socket in the network namespace of the interfaces.
  init(
    _ addresses: [DBusAddress], _ probe: NamespaceProbe, until deadline: Moment
  ) throws(DBusError) {
    connection = try Self.connect(addresses, until: deadline)
    self.probe = probe
  }

  /// Authenticates, and subscribes to announcements.
  mutating func introduce() throws(DBusError) {
    try connection.authenticate()
    // Subscribed before the first query, so that no change is missed in between.
    let serials = try connection.send(
      [Self.busCall("Hello")] + Self.announcements.map { Self.busCall("AddMatch", $0) })
    ownName = try connection.answer(to: serials[0]).string()
    for serial in serials.dropFirst() { _ = try connection.answer(to: serial) }
  }

  /// Queries whether an interface is metered.
  ///
  /// - Returns: `nil` if NetworkManager only guesses, does not run, does not know the interface, or manages another network
  ///   namespace, where the name may belong to another interface.
  mutating func isMetered(interfaceIndex: Int) throws(DBusError) -> Bool? {
    guard let interface = probe.interfaceName(index: interfaceIndex) else { return nil }
    do throws(DBusError) {
      return try isMetered(interface)
    } catch {
      guard error.code == .refused else { throw error }
      return nil
    }
  }

  private mutating func isMetered(_ interface: String) throws(DBusError) -> Bool? {
    let serials = try connection.send([
      Self.busCall("GetNameOwner", Self.name),
      Self.busCall("GetConnectionUnixProcessID", Self.name),
      Self.busCall("GetConnectionUnixProcessID", ownName),
      DBusCall(
        destination: Self.name, path: "/org/freedesktop/NetworkManager", interface: Self.name,
        member: "GetDeviceByIpIface", arguments: [interface]),
    ])
    connection.announcer = nil
    connection.announcer = try connection.answer(to: serials[0]).string()
    let process = try connection.answer(to: serials[1]).number()
    // A bus in another process namespace counts processes differently.
    guard try connection.answer(to: serials[2]).number() == UInt32(bitPattern: getpid()),
      probe.isInNamespace(ofProcess: process)
    else { return nil }
    let device = try connection.answer(to: serials[3]).string()
    let serial = try connection.send([
      DBusCall(
        destination: Self.name, path: device, interface: "org.freedesktop.DBus.Properties", member: "Get",
        arguments: ["\(Self.name).Device", "Metered"])
    ])
    return Self.isMetered(try connection.answer(to: serial[0]).numberInVariant())
  }

  /// Reads an `NMMetered`; guesses (3 and 4) count as unknown.
  private static func isMetered(_ value: UInt32) -> Bool? {
    switch value {
    case 1: true
    case 2: false
    default: nil
    }
  }
}

// MARK: - The bus

extension NetworkManagerClient {
  /// The addresses of the system bus.
  static var systemBus: [DBusAddress] {
    // A set-user-ID program must not trust the environment of its caller.
    guard let text = unsafe secure_getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return [.systemDefault] }
    return unsafe DBusAddress.list(String(cString: text))
  }

  private static func connect(
    _ addresses: [DBusAddress], until deadline: Moment
  ) throws(DBusError) -> DBusConnection {
    var failure = DBusError(.disconnected, "no address")
    for address in addresses {
      do throws(DBusError) {
        return try DBusConnection(address, until: deadline, isNews: isNews)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private static func busCall(_ member: String, _ arguments: String...) -> DBusCall {
    DBusCall(
      destination: busName, path: "/org/freedesktop/DBus", interface: busName, member: member,
      arguments: arguments)
  }

  /// The announcements to subscribe to: changes of a device's properties, and of NetworkManager's presence.
  private static var announcements: [String] {
    [
      """
      type='signal',sender='\(name)',interface='org.freedesktop.DBus.Properties',\
      member='PropertiesChanged',arg0='\(name).Device'
      """,
      "type='signal',sender='\(busName)',interface='\(busName)',member='NameOwnerChanged',arg0='\(name)'",
    ]
  }

  // The bus also delivers unsolicited messages of other clients; the sender is set by the bus.
  private static let isNews: @Sendable (DBusMessage, String?) -> Bool = { message, announcer in
    switch (message.member, message.sender) {
    case ("PropertiesChanged", let sender?): sender == announcer && message.mentions("Metered")
    case ("NameOwnerChanged", busName): true
    default: false
    }
  }
}
#endif
