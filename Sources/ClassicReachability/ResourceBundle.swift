package import Foundation

/// The resources of a module.
///
/// They may be missing, and `Bundle.module` would end the program then.
package enum ResourceBundle {
  /// Returns the bundle of a module, which is in the folder of a program or library, or next to it.
  package static func bundle(of module: String, near owners: [Bundle]) -> Bundle? {
    bundle(
      of: module,
      in: owners.flatMap { [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()] })
  }

  /// Returns the bundle of a module from the first folder that has it.
  package static func bundle(of module: String, in folders: [URL?]) -> Bundle? {
    let names = ["bundle", "resources"].map { "reachability-kit_\(module).\($0)" }
    let places = folders.compactMap(\.self).flatMap { folder in names.map { folder.appending(path: $0) } }
    return places.lazy.compactMap { Bundle(url: $0) }.first
  }
}
