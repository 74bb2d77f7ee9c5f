// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport

@testable import ReachabilityCLI

/// The completions for three shells, from the declarations of all commands.
struct ShellCompletions {
  var commands: [CommandDescription]

  private static let head = "Made by scripts/generate-usage.\n"
  private static let endpoints = "http:// https:// tcp://"

  private var summaries: [CommandSummary] { CommandLineTool.summaries }
  private var names: String { summaries.map(\.name).joined(separator: " ") }
  private var standard: String { commands.first { $0.isStandard }?.name ?? "" }

  /// The names of the commands whose operands are of a kind.
  private func names(of isKind: (CommandDescription.Operands) -> Bool) -> [String] {
    commands.filter { isKind($0.operands) }.map(\.name)
  }

  private var forTargets: [String] {
    names {
      switch $0 {
      case .targets, .targetsAndCommand: true
      case .none, .endpoints, .flow, .files: false
      }
    }
  }
  private var forEndpoints: [String] { names { if case .endpoints = $0 { true } else { false } } }
  private var forFiles: [String] { names { if case .files = $0 { true } else { false } } }

  // MARK: bash

  /// The commands and options of each kind of value, as patterns of a shell: `wait:--until`, or `*:--count`.
  private var patterns: [(completion: Option.Value.Completion, patterns: [String])] {
    var kinds: [String: [Option.Value.Completion]] = [:]
    for option in commands.flatMap(\.options) {
      guard let value = option.value, kinds[option.name]?.contains(value.completion) != true else { continue }
      kinds[option.name, default: []].append(value.completion)
    }
    var special: [(Option.Value.Completion, [String])] = []
    var usual: [(Option.Value.Completion, [String])] = []
    func add(
      _ pattern: String, _ completion: Option.Value.Completion,
      to all: inout [(Option.Value.Completion, [String])]
    ) {
      let place = all.firstIndex { $0.0 == completion }
      if place == nil { all.append((completion, [])) }
      let patterns = all[place ?? all.count - 1].1
      if !patterns.contains(pattern) { all[place ?? all.count - 1].1.append(pattern) }
    }
    for command in commands {
      for option in command.options {
        guard let value = option.value else { continue }
        if kinds[option.name]?.count == 1 {
          add("*:--\(option.name)", value.completion, to: &usual)
        } else {
          add("\(command.name):--\(option.name)", value.completion, to: &special)
        }
      }
    }
    return special + usual
  }

  private static let files = """
    compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
          return ;;
    """

  var bash: String {
    let valued = patterns.flatMap(\.patterns).map { $0.split(separator: ":")[1] }
    let values = patterns.map { completion, patterns in
      let action =
        switch completion {
        case .nothing: "return ;;"
        case .words(let words): "words='\(words.joined(separator: " "))' ;;"
        case .files: Self.files
        case .interfaces: "words=$(ls /sys/class/net 2>/dev/null) ;;"
        case .namespaces: "words=$(cd /run/netns 2>/dev/null && echo *) ;;"
        case .endpoints: "words='\(Self.endpoints)' ;;"
        }
      return "    \(patterns.joined(separator: " | ")))\n      \(action)\n"
    }
    let options = commands.map { command in
      "    \(command.name):-*) words='\(command.options.map { "--\($0.name)" }.joined(separator: " "))' ;;\n"
    }
    return """
      # Completions of `reachability` for bash; install the file where bash-completion searches, or load it with `source`.
      # \(Self.head)
      _reachability() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        local commands='\(names)'
        local command='' value=0 word words='' index
        COMPREPLY=()

        # The first word that is neither an option nor an option's value is the command, or the first target.
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if [ $value = 1 ]; then value=0; continue; fi
          case $word in
            \(Set(valued).sorted().joined(separator: " | "))) value=1 ;;
            -*) ;;
            *) command=$word; break ;;
          esac
        done
        if [ -z "$command" ] && [[ $current != -* ]]; then words="$commands default"; fi
        case " $commands " in
          *" ${command:-none} "*) ;;
          *) command=\(standard) ;;
        esac

        case $command:$previous in
      \(values.joined())    *) case $command:$current in
      \(options.joined())    help:*) words=$commands ;;
          \(forEndpoints.map { "\($0):*" }.joined(separator: " | "))) words='\(Self.endpoints)' ;;
          \(forFiles.map { "\($0):*" }.joined(separator: " | ")))
            \(Self.files)
          \(forTargets.map { "\($0):*" }.joined(separator: " | "))) words=${words:-default} ;;
          esac ;;
        esac
        # No word contains characters that the shell would expand.
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }

      complete -F _reachability reachability

      """
  }

  // MARK: fish

  var fish: String {
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "\\'") + "'" }
    /// The condition for some commands, of which one may be meant without its name.
    func condition(_ some: [String]) -> String {
      guard some.contains(standard) else {
        return "__fish_seen_subcommand_from \(some.joined(separator: " "))"
      }
      let others = summaries.map(\.name).filter { !some.contains($0) && $0 != "help" }
      return others.isEmpty ? "true" : "not __fish_seen_subcommand_from \(others.joined(separator: " "))"
    }
    var text = "# Completions of `reachability` for fish. \(Self.head)\ncomplete -c reachability -f\n"
    for summary in summaries {
      text +=
        "complete -c reachability -n 'not __fish_seen_subcommand_from \(names)' -a \(summary.name) "
        + "-d \(quoted(summary.sentence))\n"
    }
    text += "complete -c reachability -n '__fish_seen_subcommand_from help' -a '\(names)'\n"
    text += "complete -c reachability -n '\(condition(forTargets))' -a default -d 'the default route'\n"
    text += "complete -c reachability -n '\(condition(forEndpoints))' -a '\(Self.endpoints)'\n"
    text += "complete -c reachability -n '\(condition(forFiles))' -F\n\n"
    var rows: [(line: String, commands: [String])] = []
    for command in commands {
      for option in command.options {
        let action =
          switch option.value?.completion {
          case nil: ""
          case .nothing: " -x"
          case .words(let words): " -x -a '\(words.joined(separator: " "))'"
          case .files: " -r -F"
          case .interfaces: " -x -a '(path basename /sys/class/net/*)'"
          case .namespaces: " -x -a '(path basename /run/netns/* 2>/dev/null)'"
          case .endpoints: " -x -a '\(Self.endpoints)'"
          }
        let short = option.letter.map { "-s \($0) " } ?? ""
        let line = "\(short)-l \(option.name)\(action) -d \(quoted(option.brief))"
        let place = rows.firstIndex { $0.line == line }
        if let place {
          rows[place].commands.append(command.name)
        } else {
          rows.append((line, [command.name]))
        }
      }
    }
    for row in rows { text += "complete -c reachability -n '\(condition(row.commands))' \(row.line)\n" }
    return text
  }

  // MARK: zsh

  var zsh: String {
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
    func escaped(_ text: String) -> String {
      text.replacing(":", with: "\\:").replacing("[", with: "\\[").replacing("]", with: "\\]")
    }
    func specification(_ option: Option) -> String {
      let text = "[\(escaped(option.brief))]"
      let exclusion = ["help", "version"].contains(option.name) ? "(- *)" : ""
      if let letter = option.letter {
        return "\(exclusion.isEmpty ? "" : "'\(exclusion)'"){--\(option.name),-\(letter)}\(quoted(text))"
      }
      if option.name == "version" { return quoted("\(exclusion)--version\(text)") }
      let action =
        switch option.value?.completion {
        case nil: ""
        case .nothing, .endpoints: ":\(option.value?.name ?? ""): "
        case .words(let words): ":\(option.value?.name ?? ""):(\(words.joined(separator: " ")))"
        case .files: ":file:_files"
        case .interfaces: ":interface:_net_interfaces"
        case .namespaces: ":namespace:_path_files -W /run/netns"
        }
      return quoted("\(option.isRepeatable ? "*" : "")--\(option.name)\(text)\(action)")
    }
    let cases = commands.map { command in
      let rest =
        switch command.operands {
        case .targets, .targetsAndCommand: "*:target:(default)"
        case .files: "*:record:_files"
        case .none, .endpoints, .flow: "*:target: "
        }
      return "    \(command.name))\n      rest='\(rest)'\n      options=(\n"
        + command.options.map { "        \(specification($0))\n" }.joined() + "      ) ;;\n"
    }
    return """
      #compdef reachability
      # Completions of `reachability` for zsh; install the file in a folder of $fpath. \(Self.head)
      _reachability() {
        local -a options commands=(
      \(summaries.map { "    \(quoted("\($0.name):\($0.sentence)"))\n" }.joined())  )
        # The first word that is a command; without one it is `\(standard)`.
        local rest='*: :{ _describe command commands }'
        case ${words[(r)(\(summaries.map(\.name).joined(separator: "|")))]:-\(standard)} in
      \(cases.joined())  esac
        _arguments -S $options \\
          '1: :{ _describe command commands; compadd default }' "$rest"
      }

      _reachability "$@"

      """
  }
}

extension Option {
  /// The sentence without what explains it further.
  fileprivate var brief: String {
    let colon = sentence.hasPrefix("with --") ? ";" : ":"
    return [";", " (", colon, ", for example", ", so that", ", as ", ", which "].reduce(sentence) {
      text, mark in
      text.ranges(of: mark).first.map { String(text[..<$0.lowerBound]) } ?? text
    }
  }
}
#endif
