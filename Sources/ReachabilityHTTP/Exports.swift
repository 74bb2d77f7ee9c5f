// SPDX-License-Identifier: Apache-2.0
// Targets and statuses are the core's: this makes one import enough.
@_exported public import ReachabilityKit
