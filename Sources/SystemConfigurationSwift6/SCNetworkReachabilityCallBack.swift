// SPDX-License-Identifier: Apache-2.0
public import SystemConfigurationFunctions

/// The function that a target's changes call.
///
/// The arguments are the target, its flags and the context's `info`. The Apple symbol is
/// `SCNetworkReachabilityCallBack`, a C function there; here any closure is accepted. The type is `@Sendable` because C
/// functions are: in Swift 6 mode, constants of types and files may have it. In Swift 5 mode it is not, so that a
/// constant on the main actor may call the actor's methods.
@available(swift, introduced: 6)
public typealias SCNetworkReachabilityCallBack =
  @Sendable (
    _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
  ) -> Void
