// What is asked for is a target of the core's, so that importing this is enough.
@_exported public import ReachabilityKit
