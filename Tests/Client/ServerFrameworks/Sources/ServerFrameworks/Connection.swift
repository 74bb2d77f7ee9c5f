// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Stands in the place of all connections of the stand-ins: throws where a connection would fail.
public final class Connection: Sendable {
  /// The only one.
  public static let shared = Connection()

  private let attempt = Mutex<@Sendable () throws -> Void>({})

  /// Sets what happens at each connection.
  public func set(_ attempt: @escaping @Sendable () throws -> Void) {
    self.attempt.withLock { $0 = attempt }
  }

  /// Connects, or throws the error of a framework.
  func open(else failure: some Error) throws {
    let attempt = attempt.withLock { $0 }
    do { try attempt() } catch { throw failure }
  }
}
