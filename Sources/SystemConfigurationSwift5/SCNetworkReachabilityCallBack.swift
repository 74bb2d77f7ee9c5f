// SPDX-License-Identifier: Apache-2.0
public import SystemConfigurationFunctions

/// The function that a target's changes call.
///
/// The arguments are the target, its flags and the context's `info`. The Apple symbol is
/// `SCNetworkReachabilityCallBack`, a C function there; here any closure is accepted.
@available(swift, obsoleted: 6)
public typealias SCNetworkReachabilityCallBack = (
  _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
) -> Void
