// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import POSIX

/// The files that a command of the cell sees: those of the machine, which it cannot change, and empty folders of its own.
///
/// For a process in a new mount namespace, with a PID namespace and a network namespace of its own.
enum FileTree {
  /// The folders that are empty and writable: what others run there, and how to reach it, is not visible.
  private static let ownFolders = ["/tmp", "/run", "/var"]
  private static let devices = ["null", "zero", "full", "random", "urandom", "tty"]

  /// Makes the tree, and moves the process into it.
  static func enter() throws(MountError) {
    // What is mounted from now on concerns no other process. MS_REC, MS_PRIVATE.
    try mount(nil, at: "/", as: nil, flags: 0x4000 | 0x40000)
    try mount("tmpfs", at: "/tmp", as: "tmpfs", flags: safe, options: "mode=755,size=1m")
    let root = "/tmp/root"
    try makeFolder(root)
    // MS_BIND, MS_REC.
    try mount("/", at: root, as: nil, flags: 0x1000 | 0x4000)
    guard unsafe cns_make_read_only(root) == 0 else {
      throw MountError("make the files read-only (since Linux 5.12)", .last)
    }
    try mount("proc", at: root + "/proc", as: "proc", flags: safe)
    // Of the new network namespace; MS_RDONLY.
    try mount("sysfs", at: root + "/sys", as: "sysfs", flags: safe | 1)
    for folder in ownFolders where exists(root + folder) {
      try mount("tmpfs", at: root + folder, as: "tmpfs", flags: safe, options: "mode=755,size=64m")
    }
    for folder in ["/var/tmp", "/var/log", "/var/lib", "/run/lock"] { try? makeFolder(root + folder) }
    _ = unsafe symlink("/run", root + "/var/run")
    try makeDevices(in: root + "/dev")
    guard unsafe chdir(root) == 0, unsafe cns_pivot_root(".", ".") == 0, unsafe cns_detach(".") == 0,
      unsafe chdir("/") == 0
    else { throw MountError("change the root folder", .last) }
  }

  private static func makeDevices(in folder: String) throws(MountError) {
    // Without MS_NODEV, which would forbid the devices below.
    try mount("tmpfs", at: folder, as: "tmpfs", flags: 0x2 | 0x8, options: "mode=755,size=1m")
    for device in devices where exists("/dev/" + device) {
      let path = "\(folder)/\(device)"
      let file = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw MountError("make \(path)", .last) }
      _ = close(file)
      try mount("/dev/" + device, at: path, as: nil, flags: 0x1000)
    }
    try makeFolder(folder + "/pts")
    try mount(
      "devpts", at: folder + "/pts", as: "devpts", flags: 0x2 | 0x8,
      options: "newinstance,ptmxmode=0666,mode=620")
    try makeFolder(folder + "/shm")
    try mount("tmpfs", at: folder + "/shm", as: "tmpfs", flags: safe, options: "mode=755,size=64m")
    for (link, target) in [
      ("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"),
      ("stdout", "/proc/self/fd/1"),
      ("stderr", "/proc/self/fd/2"),
    ] { _ = unsafe symlink(target, "\(folder)/\(link)") }
  }

  /// MS_NOSUID, MS_NODEV.
  private static var safe: UInt { 0x2 | 0x4 }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  private static func makeFolder(_ path: String) throws(MountError) {
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else { throw MountError("make \(path)", .last) }
  }

  private static func mount(
    _ source: String?, at target: String, as type: String?, flags: UInt, options data: String? = nil
  ) throws(MountError) {
    guard unsafe cns_mount(source, target, type, flags, data) == 0 else {
      throw MountError("mount \(type ?? source ?? "") at \(target)", .last)
    }
  }
}

/// A part of the file tree that could not be made.
struct MountError: Error, CustomStringConvertible {
  var attempt: String
  var error: Errno

  init(_ attempt: String, _ error: Errno) {
    (self.attempt, self.error) = (attempt, error)
  }

  var description: String { "could not \(attempt): \(error)" }
}
