// SPDX-License-Identifier: Apache-2.0
/// An object that notes its release in a log.
package final class Canary: Sendable {
  private let gone: Log<Void>

  package init(_ gone: Log<Void>) { self.gone = gone }

  deinit { gone.note() }
}
