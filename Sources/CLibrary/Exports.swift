// SPDX-License-Identifier: Apache-2.0
// The platform's C library under one name, for the folders that may call it.
#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif
