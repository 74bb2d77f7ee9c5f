public import CoreFoundation

// What Core Foundation says of any of its objects, for the one kind that this module adds: its own functions know
// nothing of Swift's classes.

/// Returns the type of a target, which is that of ``SCNetworkReachabilityGetTypeID()``.
public func CFGetTypeID(_ target: SCNetworkReachability!) -> CFTypeID {
  SCNetworkReachabilityGetTypeID()
}

/// Describes a target in the form that Apple's has.
public func CFCopyDescription(_ target: SCNetworkReachability!) -> CFString! {
  target.description as CFString
}

/// Returns whether two targets are the same object, which is what equality means for them.
public func CFEqual(_ one: SCNetworkReachability!, _ other: SCNetworkReachability!) -> Bool {
  one === other
}

/// Returns a number that equal targets share.
public func CFHash(_ target: SCNetworkReachability!) -> CFHashCode {
  CFHashCode(bitPattern: ObjectIdentifier(target))
}
