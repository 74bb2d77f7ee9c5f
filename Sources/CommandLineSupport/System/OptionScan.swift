// SPDX-License-Identifier: Apache-2.0
import CGetopt
import CLibrary
import Synchronization

/// A command line as `getopt_long` reads it.
///
/// That function's state is global, so scans run one at a time.
struct OptionScan {
  enum Item {
    case option(Option, value: Argument?)
    case missingValue(Option)
    case needlessValue(Option)
    case unknown(String)

    /// Whether a word has only the beginning of the option's name, which a later option may share.
    func isAbbreviated(in word: String) -> Bool {
      switch self {
      case .option(let option, _), .missingValue(let option), .needlessValue(let option):
        word.hasPrefix("--") && word.dropFirst(2).prefix { $0 != "=" } != option.name
      case .unknown: false
      }
    }
  }

  private(set) var items: [Item] = []
  /// The arguments that are not options, wherever they stand.
  private(set) var operands: [Argument] = []

  /// The number of the first option, above those of all characters.
  private static let firstValue: CInt = 256

  private static let turn = Mutex(())

  /// Scans a command line, after a concurrent scan has ended.
  init(_ words: [Argument], _ options: [Option]) {
    self = Self.turn.withLock { _ in OptionScan(scanning: words, options) }
  }

  private init(scanning words: [Argument], _ options: [Option]) {
    // The C function permutes the vector and keeps pointers into its strings between calls.
    var vector = unsafe words.map { unsafe $0.allocated() } + [nil]
    let names = unsafe options.map { unsafe strdup($0.name) }
    defer {
      unsafe vector.forEach { word in unsafe free(word) }
      unsafe names.forEach { name in unsafe free(name) }
    }
    var table = unsafe names.enumerated().map { index, name in
      unsafe option(
        name: name, has_arg: options[index].value == nil ? 0 : 1, flag: nil,
        val: Self.firstValue + CInt(index))
    }
    unsafe table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
    cgetopt_reset()
    // The colon makes getopt_long report a missing value as ':' instead of '?'.
    let letters = ":" + String(options.compactMap(\.letter))

    while true {
      let result = unsafe getopt_long(CInt(words.count), &vector, letters, table, nil)
      if result == -1 { break }
      // An unknown short option that is not ASCII may stand in the word that the scanner has not left yet.
      let index = Int(cgetopt_index())
      let words = [index, index - 1].map { unsafe Self.word(vector, at: $0).text }
      let offender = cgetopt_offender()
      let culprit = words.first { offender < 0 && Self.has($0, shortOption: offender) } ?? words[1]
      let value = unsafe cgetopt_value()
      let item = unsafe Self.item(result, options, value: value, culprit: culprit)
      // A value that is a word of its own follows that of its option. A missing value is no word.
      let isApart = unsafe vector.indices.contains(index - 1) && value == vector[index - 1]
      let word = unsafe isApart ? Self.word(vector, at: index - 2).text : words[1]
      items.append(item.isAbbreviated(in: word) ? .unknown(word) : item)
    }
    operands = (Int(cgetopt_index())..<words.count).map { index in unsafe Self.word(vector, at: index) }
  }

  private static func item(
    _ result: CInt, _ options: [Option], value: UnsafeMutablePointer<CChar>?, culprit: String
  ) -> Item {
    func option(_ value: CInt) -> Option? {
      let index = Int(value - firstValue)
      return options.indices.contains(index) ? options[index] : nil
    }
    let offender = cgetopt_offender()
    if let known = options.first(where: { $0.letter?.asciiValue.map(CInt.init) == result }) {
      return .option(known, value: nil)
    }
    switch result {
    case CInt(UInt8(ascii: ":")):
      return option(offender).map { .missingValue($0) } ?? .unknown(culprit)
    case CInt(UInt8(ascii: "?")):
      if let known = option(offender) { return .needlessValue(known) }
      // A short option may stand in the middle of its word, which the scanner has not left then.
      guard offender > 0, offender < 256 else { return .unknown(culprit) }
      return .unknown("-\(Character(UnicodeScalar(UInt8(offender))))")
    default:
      guard let known = option(result) else { return .unknown(culprit) }
      return .option(known, value: unsafe value.map { unsafe Argument($0) })
    }
  }

  private static func has(_ word: String, shortOption: CInt) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.contains(UInt8(truncatingIfNeeded: shortOption))
  }

  private static func word(_ vector: [UnsafeMutablePointer<CChar>?], at index: Int) -> Argument {
    guard unsafe vector.indices.contains(index), let word = unsafe vector[index] else { return Argument("") }
    return unsafe Argument(word)
  }
}

extension Argument {
  /// Copies a word of the C library, which ends with a zero byte.
  init(_ word: UnsafePointer<CChar>) {
    unsafe self.init(
      bytes: UnsafeBufferPointer(start: word, count: strlen(word)).lazy.map { UInt8(bitPattern: $0) })
  }

  /// Allocates a copy for the C library, which the caller frees.
  package func allocated() -> UnsafeMutablePointer<CChar>? {
    let word = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe strdup(word)
  }
}
