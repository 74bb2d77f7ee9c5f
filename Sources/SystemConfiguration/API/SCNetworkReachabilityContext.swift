public import Foundation

/// What a callback is called with.
///
/// The arguments are the target, its flags and the context's `info`. The Apple symbol is
/// `SCNetworkReachabilityCallBack`, there a C function; any closure will do here.
public typealias SCNetworkReachabilityCallBack = (
  _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
) -> Void

/// Something of the program's own for a callback, and how to keep it alive.
///
/// The Apple symbol is `SCNetworkReachabilityContext`.
@unsafe public struct SCNetworkReachabilityContext {
  /// The version of this structure, 0; not looked at.
  public var version: Int
  /// What the callback is given.
  public var info: UnsafeMutableRawPointer?
  /// Retains the info and returns what to give to the callback, or `nil` if that is not needed.
  public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
  /// Releases the info, or `nil` if that is not needed.
  public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
  /// Describes the info; never called, as on Apple platforms.
  public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

  /// Makes a context of nothing.
  public init() {
    unsafe version = 0
  }

  /// Makes a context.
  public init(
    version: Int, info: UnsafeMutableRawPointer?,
    retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
    release: (@convention(c) (UnsafeRawPointer) -> Void)?,
    copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
  ) {
    unsafe self.version = version
    unsafe self.info = unsafe info
    unsafe self.retain = unsafe retain
    unsafe self.release = unsafe release
    unsafe self.copyDescription = unsafe copyDescription
  }
}
