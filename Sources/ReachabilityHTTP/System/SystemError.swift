import Foundation

/// What the system says of an error number, such as `Connection refused`.
func systemErrorText(_ number: Int32) -> String {
  unsafe strerror(number).map { text in unsafe String(cString: text) } ?? "error \(number)"
}
