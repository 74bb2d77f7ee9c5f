// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CPOSIX
import POSIX

/// What a process gives up for good: all rights but one, its environment, and descriptors that it did not open.
package enum ProcessConfinement {
  /// Clears the environment, closes all descriptors but the standard streams, and ends the process after a time.
  ///
  /// Call it before other threads exist. A signal ends the process even where the caller ignores or blocks it.
  ///
  /// - Parameter limit: The longest time that the process may take, in seconds.
  package static func forgetCaller(limit: UInt32) {
    clearenv()
    // Fails before Linux 5.9, which has no tables with an owner either.
    _ = cposix_close_from(3)
    signal(SIGALRM, SIG_DFL)
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGALRM)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    alarm(limit)
  }

  /// Gives up all capabilities but `CAP_NET_ADMIN`, and the user and group that a set-user-ID program would add.
  ///
  /// Afterwards no program that this process executes could have more, `no_new_privs`.
  ///
  /// - Returns: Whether the process has the capability, in its own user namespace.
  package static func keepOnlyNetworkAdministration() throws(Errno) -> Bool {
    try control(.noNewPrivileges, 1)
    // Fails on kernels without ambient capabilities, which are gone with the inheritable ones in any case.
    _ = cposix_process_control(Control.ambientCapabilities.rawValue, clearAll, 0)
    // The bounding set limits what executed programs gain, which is nothing. It takes a right that few have.
    for capability in 0..<UInt(64) {
      _ = cposix_process_control(Control.dropFromBoundingSet.rawValue, capability, 0)
    }
    var header = cposix_capability_header(version: version, process: 0)
    var capabilities = cposix_capabilities()
    guard unsafe cposix_get_capabilities(&header, &capabilities) == 0 else { throw .last }
    let kept = capabilities.permitted & networkAdministration
    try becomeRealUser()
    capabilities = cposix_capabilities()
    (capabilities.permitted, capabilities.effective) = (kept, kept)
    guard unsafe cposix_set_capabilities(&header, &capabilities) == 0 else { throw .last }
    return kept != 0
  }

  /// Drops the group and the user of a set-user-ID program, and keeps the permitted capabilities meanwhile.
  private static func becomeRealUser() throws(Errno) {
    let (user, group) = (getuid(), getgid())
    guard user != geteuid() || group != getegid() else { return }
    try control(.keepCapabilities, 1)
    guard setregid(group, group) == 0, setreuid(user, user) == 0 else { throw .last }
    try control(.keepCapabilities, 0)
  }

  private static func control(_ what: Control, _ value: UInt) throws(Errno) {
    guard cposix_process_control(what.rawValue, value, 0) == 0 else { throw .last }
  }

  /// The operations of `prctl(2)`, `PR_…`.
  private enum Control: CInt {
    case keepCapabilities = 8
    case dropFromBoundingSet = 24
    case noNewPrivileges = 38
    case ambientCapabilities = 47
  }

  /// `PR_CAP_AMBIENT_CLEAR_ALL`.
  private static var clearAll: UInt { 4 }
  /// The third version of the sets, `_LINUX_CAPABILITY_VERSION_3`.
  private static var version: UInt32 { 0x2008_0522 }
  /// The right to change the network, `CAP_NET_ADMIN`.
  private static var networkAdministration: UInt32 { 1 << 12 }
}
