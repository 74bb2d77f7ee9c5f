public import CoreFoundation

// Core Foundation's functions for any object, for the one kind that this module adds. Core Foundation's own do not
// accept Swift's classes.

/// Returns the type of a target, the same as ``SCNetworkReachabilityGetTypeID()``.
public func CFGetTypeID(_ target: SCNetworkReachability!) -> CFTypeID {
  SCNetworkReachabilityGetTypeID()
}

/// Returns a description of a target in the form of Apple's.
public func CFCopyDescription(_ target: SCNetworkReachability!) -> CFString! {
  target.description as CFString
}

/// Returns whether two targets are the same object, the only way in which targets are equal.
public func CFEqual(_ one: SCNetworkReachability!, _ other: SCNetworkReachability!) -> Bool {
  one === other
}

/// Returns a hash value, which equal targets share.
public func CFHash(_ target: SCNetworkReachability!) -> CFHashCode {
  CFHashCode(bitPattern: ObjectIdentifier(target))
}

// The same for objects whose static type is unknown. Core Foundation's own functions know no type for a target, or end
// the program. A file that imports Core Foundation by itself finds both, and uses those.

/// Returns the type of an object.
@_disfavoredOverload
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID {
  object is SCNetworkReachability ? SCNetworkReachabilityGetTypeID() : CoreFoundation.CFGetTypeID(object)
}

/// Returns whether two objects are equal; two different targets never are.
@_disfavoredOverload
public func CFEqual(_ one: CFTypeRef!, _ other: CFTypeRef!) -> Bool {
  if one is SCNetworkReachability || other is SCNetworkReachability { return one === other }
  return CoreFoundation.CFEqual(one, other)
}

/// Returns a hash value, which equal objects share.
@_disfavoredOverload
public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
  (object as? SCNetworkReachability).map { CFHash($0) } ?? CoreFoundation.CFHash(object)
}

/// Equality by identity, as ``CFEqual(_:_:)`` and ``CFHash(_:)`` have it; on Apple platforms, every type of Core
/// Foundation conforms.
extension SCNetworkReachability: Hashable {
  /// Returns whether two targets are the same object.
  public static func == (one: SCNetworkReachability, other: SCNetworkReachability) -> Bool {
    one === other
  }

  /// Adds the target's identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
