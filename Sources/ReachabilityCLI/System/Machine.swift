import CLibrary
import POSIX

/// The machine that the command runs on.
enum Machine {
  /// The host name.
  static var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return text(bytes)
  }

  /// The random identifier of the time since the machine started; `nil` where the system does not report it.
  static var bootIdentifier: String? {
    #if os(Linux)
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = try? SystemFile.contents(of: path, upTo: 64) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    #else
    var bytes = [CChar](repeating: 0, count: 64)
    var count = bytes.count - 1
    guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
    return text(bytes)
    #endif
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
