/// Names and addresses, and what stands in their place where others may read.
///
/// A name has the same pseudonym everywhere. Numbers follow the first appearance.
struct Pseudonyms {
  private var pseudonyms: [String: String] = [:]
  private var counts: [String: Int] = [:]

  /// Returns the pseudonym of a name, which is a new one at its first appearance.
  ///
  /// - Parameter kind: The first word of a new pseudonym.
  mutating func pseudonym(of name: String, _ kind: String) -> String {
    if let known = pseudonyms[name] { return known }
    let number = counts[kind, default: 0] + 1
    counts[kind] = number
    let pseudonym = "\(kind) \(number)"
    pseudonyms[name] = pseudonym
    return pseudonym
  }
}
