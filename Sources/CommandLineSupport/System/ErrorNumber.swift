import CLibrary

/// The error numbers of the system.
package enum ErrorNumber {
  /// The system's description of an error number.
  package static func text(_ number: CInt) -> String {
    unsafe strerror(number).map { text in unsafe String(cString: text) } ?? "error \(number)"
  }
}
