import Foundation

/// The system's texts for error numbers.
enum SystemError {
  /// Returns the text of an error number, for example `Connection refused`.
  static func text(of number: Int32) -> String {
    unsafe strerror(number).map { text in unsafe String(cString: text) } ?? "error \(number)"
  }
}
