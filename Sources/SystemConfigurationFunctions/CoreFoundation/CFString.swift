public import Foundation

// Swift on Linux does not bridge Core Foundation's classes to its own, so code like `text as CFString` would not
// compile with Core Foundation's string. Foundation's string has the same layout and the bridge.

/// The string type that this module takes and returns.
///
/// A file that also imports `CoreFoundation` finds two types of this name; write `NSString` there.
public typealias CFString = NSString
