// SPDX-License-Identifier: Apache-2.0
#if !os(Linux)
import Testing

/// Leaves tests on the task pool, which has more threads on these systems' machines.
struct OwnThreads: SuiteTrait, TestTrait {}

extension Trait where Self == OwnThreads {
  static var onOwnThreads: Self { OwnThreads() }
}
#endif
