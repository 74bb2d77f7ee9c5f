#if !os(watchOS)
public import Foundation

// The spellings of Objective-C, so that the compiler names their replacements in code that was translated word by word.
extension Reachability {
  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostName:)")
  public static func reachabilityWithHostName(_ hostName: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostAddress:)")
  public static func reachabilityWithAddress(_ hostAddress: UnsafePointer<sockaddr>) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forInternetConnection()")
  public static func reachabilityForInternetConnection() -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forLocalWiFi()")
  public static func reachabilityForLocalWiFi() -> Reachability! { nil }
}
#endif
