import CLibrary

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
