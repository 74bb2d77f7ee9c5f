#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A library that changes what programs see of the kernel, for the variable `LD_PRELOAD`.
public struct PreloadedLibrary: Sendable {
  /// Where the library is.
  public let path: String

  /// A library that hides IPv6, as on a kernel that was started with `ipv6.disable=1`.
  ///
  /// It leaves addresses and routes alone: disable IPv6 in the network before (``NetworkNamespace/disableIPv6()``).
  public static let withoutIPv6 = Result { try PreloadedLibrary("WithoutIPv6") }

  /// Builds the library beside the running program, or in a temporary folder if that one is read-only, from the file of that name in the folder `Preload`.
  ///
  /// - Throws: ``LiveError`` if there is no C compiler, or it fails.
  private init(_ name: String) throws {
    // Programs of several packages may do this at once, so a whole file takes the old one's place.
    let script = """
      folder=$(dirname "$(readlink /proc/"$3"/exe)")
      [ -w "$folder" ] || folder=$(mktemp -d) || exit 1
      cc=$(command -v cc || command -v clang || command -v gcc) || { echo "no C compiler" >&2; exit 1; }
      "$cc" -shared -fPIC -O1 -Wall -Werror -o "$folder/$2.$3.so" "$1" && mv "$folder/$2.$3.so" "$folder/$2.so" &&
      printf %s "$folder/$2.so"
      """
    let source = String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex))
    let words = ["sh", "-c", script, "sh", "\(source)/Preload/\(name).c", name, "\(getpid())"]
    path = try ProcessResult(running: "/bin/sh", words, named: "build \(name)", within: .seconds(60))
      .standardOutput(orThrowFor: "build \(name)")
  }
}

extension NetworkNamespace {
  /// Takes all IPv6 addresses and routes from the namespace, and lets no interface get any.
  public func disableIPv6() throws {
    for interface in ["all", "default"] { try writeSysctl("net/ipv6/conf/\(interface)/disable_ipv6", "1") }
  }
}
#endif
