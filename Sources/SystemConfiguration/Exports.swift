// SPDX-License-Identifier: Apache-2.0
@_exported import SystemConfigurationFunctions
// The callback's type differs between the language modes of the importing file. The compiler takes the declaration that
// is available in its mode, but refuses both in one module.
@_exported import SystemConfigurationSwift5
@_exported import SystemConfigurationSwift6
