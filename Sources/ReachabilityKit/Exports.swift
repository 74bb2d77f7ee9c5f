// SPDX-License-Identifier: Apache-2.0
// Addresses are part of the public interface, so importing this module is enough.
@_exported public import InternetProtocol
