#if os(Linux)
extension Int {
  /// The next multiple of four; netlink pads messages and attributes to it.
  var alignedToNetlink: Int { (self + 3) & ~3 }
}
#endif
