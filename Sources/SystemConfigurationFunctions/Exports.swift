// SPDX-License-Identifier: Apache-2.0
// As on Apple platforms, code finds Core Foundation, Dispatch and the C library through this module. Foundation on Linux
// exports the last two, but not Core Foundation.
@_exported import CLibrary
@_exported import CoreFoundation
@_exported import Dispatch
@_exported import SocketAddressLengths

// Apple's Core Foundation is part of Objective-C's world, so code finds its base class too.
@_exported import class Foundation.NSObject
