/// A class with the name of its module.
public final class Reachability {
  /// How the device is connected.
  public enum Connection: Sendable { case unavailable, wifi, cellular }

  /// The connection now.
  public let connection = Connection.wifi

  /// Creates a reachability.
  public init() {}
}
