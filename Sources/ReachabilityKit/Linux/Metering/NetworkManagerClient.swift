#if os(Linux)
import CPOSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection to NetworkManager over the system's bus.
struct NetworkManagerClient: ~Copyable {
  private static var busName: String { "org.freedesktop.DBus" }
  private static var name: String { "org.freedesktop.NetworkManager" }

  private var connection: DBusConnection
  private let probe: NamespaceProbe
  /// Our own name on the bus.
  private var ownName = ""

  /// Connects to the bus; what is asked first is ``introduce()``.
  ///
  /// - Parameters:
  ///   - addresses: Where the bus may listen; the first that listens is taken.
  ///   - probe: A socket in the network namespace that questions are about.
  ///   - deadline: When to give up, until there is another one.
  init(
    _ addresses: [DBusAddress], _ probe: NamespaceProbe, until deadline: SuspendingClock.Instant
  ) throws(DBusError) {
    connection = try Self.connect(addresses, until: deadline)
    self.probe = probe
  }

  /// When to give up.
  var deadline: SuspendingClock.Instant {
    get { connection.deadline }
    set { connection.deadline = newValue }
  }

  /// Enters the bus; whether NetworkManager is there too comes out with the first question.
  mutating func introduce() throws(DBusError) {
    try connection.authenticate()
    // The announcements are ordered before the first question, so that no change falls between.
    let serials = try connection.send(
      [Self.busCall("Hello")] + Self.announcements.map { Self.busCall("AddMatch", $0) })
    ownName = try connection.answer(to: serials[0]).string()
    for serial in serials.dropFirst() { _ = try connection.answer(to: serial) }
  }

  /// What has input when something was announced.
  var pollDescriptor: CInt { connection.pollDescriptor }

  /// Takes what has come.
  mutating func listen() throws(DBusError) {
    try connection.listen()
  }

  /// Whether something was announced that may make earlier answers different, as far as it was taken.
  mutating func takeNews() throws(DBusError) -> Bool {
    return try connection.takeNews()
  }

  /// Asks whether an interface is metered.
  ///
  /// - Returns: `nil` where NetworkManager does not know it for sure, is not there, does not know the interface, or
  ///   looks after another network namespace, where the interface's name may be another interface's.
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
    // A bus that counts processes in another way speaks of other ones.
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

  /// Reads an `NMMetered`; what is only guessed (3 and 4) nobody knows.
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
  /// Where the system's bus listens.
  static var systemBus: [DBusAddress] {
    // A program that runs with more rights than its caller must not take the caller's word for it.
    guard let text = unsafe secure_getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return [.systemDefault] }
    return unsafe DBusAddress.list(String(cString: text))
  }

  private static func connect(
    _ addresses: [DBusAddress], until deadline: SuspendingClock.Instant
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

  /// What the bus shall tell us of: that a device's properties change, and that NetworkManager comes or goes.
  private static var announcements: [String] {
    [
      """
      type='signal',sender='\(name)',interface='org.freedesktop.DBus.Properties',\
      member='PropertiesChanged',arg0='\(name).Device'
      """,
      "type='signal',sender='\(busName)',interface='\(busName)',member='NameOwnerChanged',arg0='\(name)'",
    ]
  }

  // The bus hands over whatever another client addresses to us, whether we asked for that or not. Who sent it, the bus
  // says itself.
  private static let isNews: @Sendable (DBusMessage, String?) -> Bool = { message, announcer in
    switch (message.member, message.sender) {
    case ("PropertiesChanged", let sender?): sender == announcer && message.mentions("Metered")
    case ("NameOwnerChanged", busName): true
    default: false
    }
  }
}
#endif
