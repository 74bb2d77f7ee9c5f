#if !os(watchOS)
public import Foundation

// The spellings of Objective-C, so that the compiler names their replacements in code that was translated word by word.
extension Reachability {
  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostname:)")
  public static func reachabilityWithHostname(_ hostname: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostName:)")
  public static func reachabilityWithHostName(_ hostname: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(url:)")
  public static func reachabilityWithURL(_ url: URL) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(address:)")
  public static func reachabilityWithAddress(_ hostAddress: UnsafeMutableRawPointer) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forInternetConnection()")
  public static func reachabilityForInternetConnection() -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forLocalWiFi()")
  public static func reachabilityForLocalWiFi() -> Reachability! { nil }
}
#endif
