// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension RouteEvent {
  /// The flags of the announcement.
  package var flags: MessageFlags {
    if case .route(let route) = self, route.isReplacement { .replace } else { [] }
  }

  /// Appends the payload of the announcement.
  package func encode(into encoder: inout MessageEncoder) {
    switch self {
    case .link(let message), .linkRemoved(let message): message.encode(into: &encoder)
    case .address(let message), .addressRemoved(let message): message.encode(into: &encoder)
    case .route(let message), .routeRemoved(let message): message.encode(into: &encoder)
    case .rule(let message), .ruleRemoved(let message): message.encode(into: &encoder)
    case .neighbour(let message), .neighbourRemoved(let message): message.encode(into: &encoder)
    case .routerOption(let option): option.encode(into: &encoder)
    case .nextHop, .configuration, .other: encoder.append(UInt32(0))
    }
  }
}
#endif
