// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import Testing

/// Skips tests with the reason where this machine lacks something, and counts them for the last lines of the run.
///
/// With the value `required` of the environment variable `TEST_PACKAGES`, a missing package fails the tests instead.
///
/// Tests with requirements run networks and programs and wait for them, so they run on threads for such tests.
package struct Requirement: SuiteTrait, TestTrait, TestScoping {
  private let skipReason: @Sendable () -> SkipReason?

  package init(_ skipReason: @autoclosure @escaping @Sendable () -> SkipReason?) {
    self.skipReason = skipReason
  }

  package var isRecursive: Bool { true }

  package func prepare(for test: Test) async throws {
    guard let reason = try reason() else { return }
    if !test.isSuite { SkippedTests.shared.insert(reason) }
    // Only the testing library's own traits can skip a test.
    try await ConditionTrait.disabled("\(reason)").prepare(for: test)
  }
}

extension Requirement {
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }

  /// The reason to skip tests, or `nil`.
  ///
  /// - Throws: The reason, if it is a missing package and packages are required.
  package func reason() throws -> SkipReason? {
    guard let reason = skipReason() else { return nil }
    let packages = ProcessInfo.processInfo.environment["TEST_PACKAGES"]
    if reason.isPackage, packages == "required" { throw reason }
    return reason
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where they cannot have their own networks.
  package static var needsNamespaces: Self { Self(.withoutNamespaces) }

  /// Skips tests without the Python of the system, in which their servers are written.
  package static var needsPython: Self { Self(.withoutPrograms("/usr/bin/python3")) }
}
#endif
