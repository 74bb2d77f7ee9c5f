import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells a process from a child of it that was forked and runs no other program.
///
/// A child has none of its parent's threads, and what descriptors stand for is shared: whatever it took out of a socket, the
/// parent would miss.
package struct ProcessIdentity: Equatable, Sendable {
  private let forks: Int

  /// The process that this is.
  package static var current: ProcessIdentity {
    _ = isCounting
    return ProcessIdentity(forks: forkCount.load(ordering: .relaxed))
  }

  /// How many forks lie between this process and the one that began to count.
  private static let forkCount = Atomic(0)
  /// Counts from the first use on; the call is `pthread_atfork`.
  private static let isCounting = pthread_atfork(nil, nil) {
    ProcessIdentity.forkCount.add(1, ordering: .relaxed)
  }
}
