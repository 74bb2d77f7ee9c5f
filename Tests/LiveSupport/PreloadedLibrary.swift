// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A library for `LD_PRELOAD` that changes how programs see the kernel.
public struct PreloadedLibrary: Sendable {
  /// The path of the library.
  public let path: String

  /// A library that hides IPv6, as a kernel booted with `ipv6.disable=1` does.
  ///
  /// It does not hide addresses and routes: disable IPv6 in the network first (``NetworkNamespace/disableIPv6()``).
  public static let withoutIPv6 = Result { try PreloadedLibrary("WithoutIPv6") }

  /// Builds the library from the file of this name in the folder `Preload`.
  ///
  /// The result is placed beside the running program, or in a temporary folder if that one is read-only.
  ///
  /// - Throws: ``LiveError`` if there is no C compiler, or it fails.
  private init(_ name: String) throws {
    // Several packages may build it concurrently, so a complete file replaces the old one.
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
  /// Removes all IPv6 addresses and routes from the namespace, and prevents new ones.
  public func disableIPv6() throws {
    try writeLinkSysctl("net/ipv6/conf/*/disable_ipv6", "1")
  }
}
#endif
