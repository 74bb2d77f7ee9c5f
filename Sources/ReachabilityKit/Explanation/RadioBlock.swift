/// The kind of a radio's block; the kernel's subsystem is `rfkill`.
package enum RadioBlock: Hashable, Sendable {
  /// A program blocks the radio.
  case soft
  /// A hardware switch or the firmware blocks the radio, which no program can change.
  case hard
}
