public import Foundation

/// A program's data for a callback, with the functions that retain and release it.
///
/// The Apple symbol is `SCNetworkReachabilityContext`.
@unsafe public struct SCNetworkReachabilityContext {
  /// The version of this structure, 0; ignored.
  public var version: Int
  /// The data that the callback receives.
  public var info: UnsafeMutableRawPointer?
  /// Retains the info and returns the callback's argument; `nil` to pass the info as it is.
  public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
  /// Releases the info; `nil` if no release is needed.
  public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
  /// Describes the info; never called, as on Apple platforms.
  public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

  /// Creates an empty context.
  public init() {
    unsafe version = 0
  }

  /// Creates a context.
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
