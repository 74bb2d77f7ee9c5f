public import CoreFoundation
public import Foundation

extension RunLoop {
  /// Returns the run loop of Core Foundation that this object stands for.
  ///
  /// Foundation on Linux has this method for itself only.
  public func getCFRunLoop() -> CFRunLoop {
    if self === RunLoop.current { return CFRunLoopGetCurrent() }
    if self === RunLoop.main { return CFRunLoopGetMain() }
    return runLoopOfAnotherThread
  }

  /// The run loop of neither this thread nor the main one, which Foundation keeps in an internal property.
  private var runLoopOfAnotherThread: CFRunLoop {
    let storage = Mirror(reflecting: self).children.first { $0.label == "_cfRunLoopStorage" }
    guard let object = storage?.value as AnyObject?, CFGetTypeID(object) == CFRunLoopGetTypeID() else {
      preconditionFailure("this version of Foundation keeps no run loop of Core Foundation in its own")
    }
    // A cast fails: Swift sees an object of Core Foundation as one class for all of its types.
    let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
    return unsafe Unmanaged<CFRunLoop>.fromOpaque(pointer).takeUnretainedValue()
  }
}
