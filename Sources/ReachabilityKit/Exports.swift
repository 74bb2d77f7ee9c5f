// Addresses are part of this module's interface, so that importing it is enough.
@_exported public import InternetProtocol
