// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// The characters that the terminal of a user can show, as the locale says.
package enum CharacterRepertoire: Sendable {
  case ascii
  case unicode

  /// Decides by the first of these variables of the locale that is not empty, as POSIX orders them.
  ///
  /// Without any, the locale is `C`. `setlocale` would answer `C` also for a UTF-8 locale that is not installed.
  package init(variables: (_ name: String) -> String?) {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = names.lazy.compactMap(variables).first { !$0.isEmpty } ?? "C"
    // For example `de_DE.UTF-8@euro`, `C.utf8`, or `UTF-8` alone on macOS.
    let codeset = locale.prefix { $0 != "@" }.split(separator: ".").last ?? ""
    self = ["utf8", "utf-8"].contains(codeset.lowercased()) ? .unicode : .ascii
  }

  /// The repertoire of the environment.
  static var ofEnvironment: CharacterRepertoire {
    CharacterRepertoire { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  }

  /// Returns a text of this program with the characters that the terminal can show.
  package func spelling(_ text: String) -> String {
    guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.map { Self.replacements[$0] ?? String($0) }.joined()
  }

  /// What stands for the characters of bars, help and lists.
  private static let replacements: [Character: String] = [
    "█": "#", "▇": ":", "▆": ":", "▅": ":", "▄": ":", "▃": ".", "▂": ".", "▁": ".", "░": "-", "…": "...",
    "→": "->",
  ]
}
