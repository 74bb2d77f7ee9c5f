public import Foundation

// Swift calls these functions for `RunLoop.Mode.common as CFString`. On Apple platforms the compiler bridges structures
// of names by itself; on Linux, Foundation does not conform this one.
extension RunLoop.Mode: @retroactive _ObjectiveCBridgeable {
  /// Returns the name as an object.
  public func _bridgeToObjectiveC() -> NSString {
    rawValue as NSString
  }

  /// Creates a mode from a name.
  public static func _forceBridgeFromObjectiveC(_ name: NSString, result: inout RunLoop.Mode?) {
    result = RunLoop.Mode(name as String)
  }

  /// Creates a mode from a name, and returns `true`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ name: NSString, result: inout RunLoop.Mode?
  ) -> Bool {
    result = RunLoop.Mode(name as String)
    return true
  }

  /// Returns a mode with a name.
  public static func _unconditionallyBridgeFromObjectiveC(_ name: NSString?) -> RunLoop.Mode {
    RunLoop.Mode(name.map { $0 as String } ?? "")
  }
}
