#if os(Linux)
/// The type of a message, `NLMSG_…` and `RTM_…`.
package struct MessageType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// An acknowledgement or an error, `NLMSG_ERROR`.
  package static var error: MessageType { MessageType(rawValue: 2) }
  /// The end of a list, `NLMSG_DONE`.
  package static var done: MessageType { MessageType(rawValue: 3) }

  /// `RTM_NEWLINK`.
  package static var newLink: MessageType { MessageType(rawValue: 16) }
  /// `RTM_DELLINK`.
  package static var deleteLink: MessageType { MessageType(rawValue: 17) }
  /// `RTM_GETLINK`.
  package static var getLink: MessageType { MessageType(rawValue: 18) }
  /// `RTM_NEWADDR`.
  package static var newAddress: MessageType { MessageType(rawValue: 20) }
  /// `RTM_DELADDR`.
  package static var deleteAddress: MessageType { MessageType(rawValue: 21) }
  /// `RTM_GETADDR`.
  package static var getAddress: MessageType { MessageType(rawValue: 22) }
  /// `RTM_NEWROUTE`.
  package static var newRoute: MessageType { MessageType(rawValue: 24) }
  /// `RTM_DELROUTE`.
  package static var deleteRoute: MessageType { MessageType(rawValue: 25) }
  /// `RTM_GETROUTE`.
  package static var getRoute: MessageType { MessageType(rawValue: 26) }
  /// `RTM_NEWNEIGH`.
  package static var newNeighbour: MessageType { MessageType(rawValue: 28) }
  /// `RTM_DELNEIGH`.
  package static var deleteNeighbour: MessageType { MessageType(rawValue: 29) }
  /// `RTM_GETNEIGH`.
  package static var getNeighbour: MessageType { MessageType(rawValue: 30) }
  /// `RTM_NEWRULE`.
  package static var newRule: MessageType { MessageType(rawValue: 32) }
  /// `RTM_DELRULE`.
  package static var deleteRule: MessageType { MessageType(rawValue: 33) }
  /// `RTM_GETRULE`.
  package static var getRule: MessageType { MessageType(rawValue: 34) }
  /// `RTM_NEWSTATS`.
  package static var newStatistics: MessageType { MessageType(rawValue: 92) }
  /// `RTM_GETSTATS`.
  package static var getStatistics: MessageType { MessageType(rawValue: 94) }
  /// `RTM_NEWNEXTHOP`.
  package static var newNextHop: MessageType { MessageType(rawValue: 104) }
  /// `RTM_DELNEXTHOP`.
  package static var deleteNextHop: MessageType { MessageType(rawValue: 105) }
  /// `RTM_NEWNEXTHOPBUCKET`.
  package static var newNextHopBucket: MessageType { MessageType(rawValue: 116) }
  /// `RTM_NEWNETCONF`.
  package static var newNetconf: MessageType { MessageType(rawValue: 80) }
  /// `RTM_DELNETCONF`.
  package static var deleteNetconf: MessageType { MessageType(rawValue: 81) }
}
#endif
