import CommandLineSupport

/// A report as one HTML page, which loads nothing.
///
/// The page is the template `page.html` with a JSON object inside: the lanes with their steps, and the incidents.
package struct HTMLPage: Sendable {
  /// The size that no page exceeds, in bytes, whatever the records are: see ``StepReduction`` and ``maximumIncidents``.
  package static let maximumSize = 1_000_000
  /// The largest number of incidents in the table; of more, the longest ones are kept.
  package static let maximumIncidents = 1000
  /// The largest number of different reasons, of which this version knows fewer; steps with others have none.
  static let maximumReasons = 100

  private let record: String

  /// Creates the page of a report.
  ///
  /// - Parameters:
  ///   - history: The report, with pseudonyms already in place of names where that is wanted.
  ///   - generated: The current time, in milliseconds since 1970.
  ///   - isRedacted: Whether the report has pseudonyms, which the page says.
  package init(_ history: History, generated: Int, isRedacted: Bool = false) {
    let limit = Self.maximumSize - PackageResources.page_html.count
    record = Self.record(of: history, generated: generated, isRedacted: isRedacted, limit: limit)
  }

  /// The text of the page.
  package var text: String {
    let template = PackageResources.page_html
    let place = Array(">RECORD<".utf8)
    guard let start = template.indices.first(where: { template[$0...].starts(with: place) }) else {
      preconditionFailure("page.html has no place for the record")
    }
    var bytes = Array(template[...start])
    bytes.reserveCapacity(template.count + record.utf8.count)
    // In JSON, the character is always part of a string. Without it, no name ends the element that the object is in.
    for byte in record.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes + template[(start + place.count - 1)...], as: UTF8.self)
  }
}
