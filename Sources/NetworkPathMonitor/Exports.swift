// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
@_exported import Network
#else
// As on Apple platforms, code finds Dispatch through this module.
@_exported import Dispatch
@_exported import NetworkPaths
@_exported import SocketAddressLengths
#endif
