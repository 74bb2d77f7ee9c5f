// SPDX-License-Identifier: Apache-2.0
extension ReachabilityExplanation.Step {
  /// The commands in the advice that change the network, without placeholders for what a person must fill in.
  package var advisedCommands: [String] {
    let words = (advice ?? "").split(separator: " ")
    let starts = words.indices.dropFirst().filter {
      words[$0 - 1].hasSuffix(":") && ["ip", "sysctl", "rfkill"].contains(words[$0])
    }
    return starts.compactMap { start in
      var command: [Substring] = []
      for word in words[start...] {
        command.append(word)
        if word.hasSuffix(";") { break }
      }
      if let last = command.popLast() {
        command.append(last.hasSuffix(";") || last.hasSuffix(".") ? last.dropLast() : last)
      }
      let changes: Set<Substring> = ["add", "del", "delete", "set", "replace", "-w", "unblock"]
      // What has a comma is about commands, and none itself.
      let isCommand = !changes.isDisjoint(with: command) && !command.contains { $0.hasSuffix(",") }
      return isCommand && !command.contains(where: \.isPlaceholder) ? command.joined(separator: " ") : nil
    }
  }
}

extension Substring {
  /// Whether it stands for something, for example `ADDRESS/LENGTH`.
  fileprivate var isPlaceholder: Bool {
    split(separator: "/").contains { $0.count > 3 && $0.allSatisfy { ("A"..."Z").contains($0) } }
  }
}
