/// What a lane is about.
package enum LaneKind: String, Sendable {
  case path
  case target
  case interface
}
