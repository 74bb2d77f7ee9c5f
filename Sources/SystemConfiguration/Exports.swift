// Code written for Apple platforms finds Core Foundation through this module, as it does there: Foundation on Linux
// does not pass it on.
@_exported import CoreFoundation
