/// A class with the name of its module.
public final class Reachability {
  public enum Connection: Sendable { case unavailable, wifi, cellular }

  public let connection = Connection.wifi

  public init() {}
}
