// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import CPOSIX
import Netlink
import POSIX

/// What a process of the cell loses before it executes a command, and cannot get back.
///
/// Each step throws if the kernel refuses it, and then the command does not run.
enum Confinement {
  /// Limits what the process and its children use together or each.
  static func limitResources() throws(Errno) {
    // RLIMIT_CORE, FSIZE, NPROC, NOFILE and AS: one process each may have a gibibyte of address space.
    for (resource, value) in [(4, 0), (1, 64 << 20), (6, 128), (7, 1024), (9, 1 << 30)] as [(CInt, UInt64)] {
      guard cns_limit(resource, value) == 0 else { throw .last }
    }
  }

  /// Gives up all capabilities but those over the copy: `CAP_NET_ADMIN` and `CAP_NET_RAW`; and forbids further ones.
  static func dropCapabilities() throws(Errno) {
    guard cposix_process_control(Control.noNewPrivileges, 1, 0) == 0 else { throw .last }
    _ = cposix_process_control(Control.ambientCapabilities, 4, 0)
    for capability in 0..<UInt(64) where capability != 12 && capability != 13 {
      if cposix_process_control(Control.dropFromBoundingSet, capability, 0) == 0 { continue }
      // The kernel knows fewer.
      let error = Errno.last
      guard error == .invalidArgument else { throw error }
    }
    var header = cposix_capability_header(version: 0x2008_0522, process: 0)
    var kept = cposix_capabilities()
    let network: UInt32 = 1 << 12 | 1 << 13
    (kept.permitted, kept.effective, kept.inheritable) = (network, network, 0)
    guard unsafe cposix_set_capabilities(&header, &kept) == 0 else { throw .last }
  }

  /// Installs the filter of system calls, which holds for all children too.
  static func filterCalls() throws(Errno) {
    guard let filter = callFilter else { throw .notSupported }
    let instructions = filter.instructions
    let result = unsafe instructions.withUnsafeBytes { bytes in
      unsafe cns_set_filter(UInt16(instructions.count), bytes.baseAddress)
    }
    guard result == 0 else { throw .last }
  }

  /// The filter; `nil` on a processor whose calls are not known here.
  ///
  /// It fails calls instead of ending the process, so that commands can say what they miss.
  private static var callFilter: SocketFilter? {
    let architecture = cns_architecture()
    guard architecture != 0 else { return nil }
    // seccomp_data: the number of the call, the processor, the address, then the arguments, of which each has its lower
    // half first.
    func argument(_ position: UInt32) -> UInt32 { 16 + 8 * position }
    func refuse(_ error: CInt) -> SocketFilter.Instruction { .end(with: 0x5_0000 | UInt32(error)) }
    let allow = SocketFilter.Instruction.end(with: 0x7fff_0000)
    var program: [SocketFilter.Instruction] = [
      // Another processor's calls, such as those of 32-bit programs, have other numbers.
      .loadWord(at: 4), .ifEqual(to: architecture, skip: 1, else: 0), refuse(ENOSYS),
      .loadWord(at: 0),
      // Those of the x32 ABI.
      .ifNotLess(than: 0x4000_0000, skip: 0, else: 1), refuse(ENOSYS),
      // clone3, whose flags are in memory: the C library then uses clone.
      .ifEqual(to: 435, skip: 0, else: 1), refuse(ENOSYS),
    ]
    var position: UInt32 = 0
    while true {
      let call = cns_refused_call(position)
      guard call >= 0 else { break }
      program += [.ifEqual(to: UInt32(call), skip: 0, else: 1), refuse(EPERM)]
      position += 1
    }
    // New namespaces, CLONE_NEW…
    program += [
      .ifEqual(to: cns_call_clone(), skip: 0, else: 4), .loadWord(at: argument(0)),
      .ifAny(of: 0x7e02_0000, skip: 0, else: 1), refuse(EPERM), allow,
    ]
    // Typing for another process: TIOCSTI, TIOCLINUX.
    program += [
      .ifEqual(to: cns_call_ioctl(), skip: 0, else: 5), .loadWord(at: argument(1)),
      .ifEqual(to: 0x5412, skip: 1, else: 0), .ifEqual(to: 0x541c, skip: 0, else: 1), refuse(EPERM), allow,
    ]
    // Of the pairs of sockets, only those that cannot send to others: SOCK_STREAM and SOCK_SEQPACKET. The kernel takes SOCK_RAW
    // of AF_UNIX for SOCK_DGRAM.
    program += [
      .ifEqual(to: cns_call_socketpair(), skip: 0, else: 6), .loadWord(at: argument(1)), .and(0xf),
      .ifEqual(to: UInt32(SocketKind.stream.rawValue), skip: 1, else: 0),
      .ifEqual(to: UInt32(SocketKind.sequencedPackets.rawValue), skip: 0, else: 1), allow,
      refuse(EAFNOSUPPORT),
    ]
    // The tables of iptables-legacy: IPT_SO_SET_REPLACE and IP6T_SO_SET_REPLACE, and the counters after it.
    program += [
      .ifEqual(to: cns_call_setsockopt(), skip: 0, else: 5), .loadWord(at: argument(2)),
      .ifEqual(to: 64, skip: 1, else: 0), .ifEqual(to: 65, skip: 0, else: 1), refuse(EPERM), allow,
    ]
    // Only sockets that belong to the network: AF_INET, AF_INET6, AF_NETLINK, AF_PACKET. One of AF_UNIX or AF_VSOCK leads
    // out of it. No netlink of firewalls and IPsec, whose rules are not judged: NETLINK_NETFILTER, NETLINK_XFRM;
    // and none that ends sockets, of which the copy has no others: NETLINK_SOCK_DIAG.
    program += [
      .ifEqual(to: cns_call_socket(), skip: 0, else: 12), .loadWord(at: argument(0)),
      .ifEqual(to: 2, skip: 7, else: 0), .ifEqual(to: 10, skip: 6, else: 0),
      .ifEqual(to: 17, skip: 5, else: 0),
      .ifEqual(to: 16, skip: 0, else: 6), .loadWord(at: argument(2)),
      .ifEqual(to: 12, skip: 3, else: 0), .ifEqual(to: 6, skip: 2, else: 0),
      .ifEqual(to: 4, skip: 1, else: 0), allow,
      refuse(EPROTONOSUPPORT), refuse(EAFNOSUPPORT),
    ]
    program.append(allow)
    return SocketFilter(instructions: program)
  }

  /// The operations of `prctl(2)`, `PR_…`.
  enum Control {
    static var parentDeathSignal: CInt { 1 }
    static var dropFromBoundingSet: CInt { 24 }
    static var noNewPrivileges: CInt { 38 }
    static var ambientCapabilities: CInt { 47 }
  }
}
