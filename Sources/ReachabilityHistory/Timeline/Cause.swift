import ReachabilityKit

/// What a record says about the beginning of an incident, as pieces of one line of text.
///
/// Names stand apart from words, so that they can be replaced.
package struct Cause: Equatable, Sendable {
  package enum Piece: Equatable, Sendable {
    case words(String)
    /// The name of an interface.
    case interface(String)
    /// An address of this machine, or of a gateway or server.
    case address(String)
    /// What a server, or the system, said about a verification.
    case detail(String)
  }

  package var pieces: [Piece]

  package init(_ pieces: [Piece] = []) { self.pieces = pieces }

  /// The line.
  package var text: String { text { $0.name } }

  /// The line, with other texts in the place of names.
  package func text(naming name: (Piece) -> String) -> String {
    pieces.map { piece in
      if case .words(let words) = piece { words } else { name(piece) }
    }.joined()
  }
}

extension Cause.Piece {
  /// The words or the name.
  package var name: String {
    switch self {
    case .words(let text), .interface(let text), .address(let text), .detail(let text): text
    }
  }
  /// What happened to give a status this reason.
  static func pieces(of reason: String, on interface: String?) -> [Self] {
    let interface = interface?.shortened
    let place: [Self] = interface.map { [.words(" on "), .interface($0)] } ?? []
    switch ReachabilityStatus.Reason(rawValue: reason) {
    case .noCarrier: return [.words("carrier lost")] + place
    case .noRoute: return [.words("route withdrawn")]
    case .interfaceDown:
      return [.words("interface switched off")] + (interface.map { [.words(": "), .interface($0)] } ?? [])
    case .interfaceNotFound: return [.words("interface removed")]
    case .sourceAddressMissing: return [.words("address removed")]
    default: return [.words(ReasonText.words(reason).shortened)] + place
    }
  }
}

extension String {
  /// The text as a cause has it, since a record may hold names of any length: real ones are shorter.
  var shortened: String { shortened(to: 64) }

  /// The beginning of a text that has more characters than a limit.
  func shortened(to limit: Int) -> String {
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    return String(unicodeScalars.prefix(limit)) + "…"
  }
}
