#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX

/// A socket that represents the network namespace in which it was created.
final class NamespaceProbe: Sendable {
  private let descriptor: FileDescriptor
  private let number: UInt64

  /// Opens the socket in the calling thread's network namespace.
  init() throws(Errno) {
    let descriptor = try FileDescriptor.netlinkSocket(.route)
    var information = stat()
    guard unsafe fstat(descriptor.rawValue, &information) == 0 else { throw .last }
    number = UInt64(information.st_ino)
    self.descriptor = descriptor
  }

  /// Returns the current name of an interface in the namespace; the request is `SIOCGIFNAME`.
  func interfaceName(index: Int) -> String? {
    guard let index = Int32(exactly: index), index > 0 else { return nil }
    // An ifreq: the name, the index, and room for the rest of its union.
    var request = [UInt8](repeating: 0, count: 40)
    unsafe request.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: index, toByteOffset: 16, as: Int32.self)
    }
    guard unsafe ioctl(descriptor.rawValue, ControlRequest.interfaceName, &request) == 0 else { return nil }
    return String(validating: request.prefix(16).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns whether a process is in the namespace: its list of sockets then contains this one.
  ///
  /// Every user may read that list, while the namespace file of another user's process requires privileges.
  func isInNamespace(ofProcess id: UInt32) -> Bool {
    let text = String(number)
    // Each line ends with the inode of a socket. No list comes near the limit.
    let list = (try? SystemFile.contents(of: "/proc/\(id)/net/netlink", upTo: 1 << 22)) ?? []
    return String(decoding: list, as: UTF8.self).split(separator: "\n").contains { line in
      line.split(separator: " ").last.map { $0 == text } ?? false
    }
  }
}
#endif
