// As on Apple platforms, code finds Core Foundation through this module. Foundation on Linux does not export it.
@_exported import CoreFoundation
