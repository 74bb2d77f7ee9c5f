// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import RequirementSupport

/// What a program and its children asked the kernel for, as `strace` wrote it.
struct SystemCallTrace {
  /// The names of all system calls.
  private(set) var calls: Set<String> = []
  /// The paths that were opened, watched, connected to, executed, replaced or removed, and the kinds of sockets.
  private(set) var opened: Set<String> = []

  /// The words before a program's own that trace it: it keeps its process ID, and the trace ends before its output does.
  static func tracer(writing path: String) -> String { #"strace -D -f -y -qq -s 4096 -o "\#(path)""# }

  /// Reads the lines of a trace from the execution of a program with this name on.
  init(_ text: String, of program: String) {
    let lines = text.split(separator: "\n")
    let start = lines.firstIndex { $0.contains("execve(") && $0.contains("/\(program)\", ") }
    for line in lines[(start ?? lines.endIndex)...] { add(line) }
  }

  private mutating func add(_ line: Substring) {
    guard let call = line.firstMatch(of: /^\d+ +(\w+)\((.*)/) else { return }
    // Of a thread that ends meanwhile, strace may read a result in place of the number.
    if !call.1.hasPrefix("syscall_0xffff") { calls.insert(String(call.1)) }
    let (name, arguments) = (call.1, call.2)
    switch name {
    case "socket": opened.insert(Self.socket(arguments))
    case "connect":
      // A socket without a name in the file system has an `@`.
      if let path = arguments.firstMatch(of: /sun_path=(@?"[^"]*")/) {
        opened.insert(path.1.filter { $0 != "\"" })
      }
    case "mount":
      // The source may be a word, and the type of the file system is one.
      opened.formUnion(arguments.matches(of: /"(\/[^"]*)"/).map { String($0.1) })
    case "execve", "open", "openat", "openat2", "creat", "inotify_add_watch", "umount2", "truncate", "mknod",
      "mknodat",
      _
    where name.firstMatch(of: /^(rename|unlink|link|symlink|mkdir|rmdir|f?ch(mod|own)at|l?chown|chmod)/)
      != nil:
      opened.formUnion(Self.paths(name == "execve" ? arguments.prefix { $0 != "," } : arguments))
    default: break
    }
  }

  /// The paths in a call's arguments, each below the folder whose descriptor stands before it.
  private static func paths(_ arguments: Substring) -> [String] {
    arguments.matches(of: /(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/).compactMap { match in
      if match.2.isEmpty { return nil }
      let path = match.2.hasPrefix("/") ? String(match.2) : "\(match.1 ?? "")/\(match.2)"
      // The kernel's names of this process and thread differ between runs.
      return path.replacing(/^\/proc\/\d+/, with: "/proc/self")
    }
  }

  /// The protocol of a netlink socket, or the family and type of another one.
  private static func socket(_ arguments: Substring) -> String {
    let words = arguments.split { !($0.isLetter || $0.isNumber || "_|".contains($0)) }
    guard words.count > 2 else { return String(arguments) }
    let kind = words[1].prefix { $0 != "|" }
    return words[0] == "AF_NETLINK" ? String(words[2]) : "\(words[0]) \(kind)"
  }
}

extension SkipReason {
  /// Why commands cannot be traced here, or `nil`.
  static let withoutTracing: SkipReason? = {
    #if arch(x86_64)
    withoutPrograms("strace") ?? unless("strace -D -f -o /dev/null true", "no program may be traced here")
    #else
    SkipReason("the tables in SECURITY.md have the system calls of x86-64")
    #endif
  }()
}
#endif
