// SPDX-License-Identifier: Apache-2.0
import CLibrary
import Synchronization

#if os(Linux)
import CPOSIX
#endif

/// The identity of a process, which differs in a forked child.
///
/// A forked child has none of its parent's threads and shares its open files: a message that the child receives is
/// lost to the parent.
package struct ProcessIdentity: Equatable, Sendable {
  private let forks: Int

  package static var current: ProcessIdentity {
    _ = isCounting
    return ProcessIdentity(forks: forkCount.load(ordering: .relaxed))
  }

  /// The number of forks between this process and the one that started the count.
  private static let forkCount = Atomic(0)
  /// Installs the counter at its first use; the call is `pthread_atfork`.
  private static let isCounting = pthread_atfork(nil, nil) {
    ProcessIdentity.forkCount.add(1, ordering: .relaxed)
  }

  /// Whether the program has rights that its caller lacks: the secure-execution mode of `ld.so(8)`.
  ///
  /// A set-user-ID program, or one whose file has capabilities, must not execute what its caller's environment names.
  /// The value is `AT_SECURE` of the auxiliary vector, and on Apple platforms that of `issetugid`.
  package static var isInSecureExecution: Bool {
    #if canImport(Darwin)
    issetugid() != 0
    #else
    getauxval(UInt(AT_SECURE)) != 0
    #endif
  }
}
