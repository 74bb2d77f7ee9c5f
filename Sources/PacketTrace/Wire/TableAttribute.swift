// SPDX-License-Identifier: Apache-2.0

/// The attributes of tables, `NFTA_TABLE_…`.
enum TableAttribute {
  static var name: UInt16 { 1 }
  static var flags: UInt16 { 2 }
}

/// The flags of tables, `NFT_TABLE_F_…`.
enum TableFlags {
  /// The table belongs to the socket that made it, and vanishes with it; `NFT_TABLE_F_OWNER`, since Linux 5.12.
  static var owner: UInt32 { 2 }
}

/// The attributes of chains, `NFTA_CHAIN_…`.
enum ChainAttribute {
  static var table: UInt16 { 1 }
  static var name: UInt16 { 3 }
  static var hook: UInt16 { 4 }
  static var policy: UInt16 { 5 }
  static var type: UInt16 { 7 }
}

/// The attributes of hooks, `NFTA_HOOK_…`.
enum HookAttribute {
  static var number: UInt16 { 1 }
  static var priority: UInt16 { 2 }
}

/// The attributes of rules, `NFTA_RULE_…`.
package enum RuleAttribute {
  package static var table: UInt16 { 1 }
  package static var chain: UInt16 { 2 }
  package static var handle: UInt16 { 3 }
  package static var expressions: UInt16 { 4 }
  package static var userData: UInt16 { 7 }
}

/// The attributes of expressions in a list, `NFTA_LIST_ELEM` and `NFTA_EXPR_…`.
package enum ExpressionAttribute {
  package static var element: UInt16 { 1 }
  package static var name: UInt16 { 1 }
  package static var data: UInt16 { 2 }
}

/// The attributes of matches and targets of iptables, `NFTA_MATCH_…` and `NFTA_TARGET_…`.
package enum ExtensionAttribute {
  package static var name: UInt16 { 1 }
  package static var information: UInt16 { 3 }
}

/// The attributes of rejections, `NFTA_REJECT_…`.
package enum RejectAttribute {
  package static var type: UInt16 { 1 }
  package static var code: UInt16 { 2 }
}

/// The attributes of the expressions that the rules of a trace have.
enum OperandAttribute {
  /// The value of data, `NFTA_DATA_VALUE`.
  static var value: UInt16 { 1 }

  // NFTA_META_…
  static var metaDestination: UInt16 { 1 }
  static var metaKey: UInt16 { 2 }
  static var metaSource: UInt16 { 3 }

  // NFTA_CMP_…
  static var comparedRegister: UInt16 { 1 }
  static var comparison: UInt16 { 2 }
  static var comparedData: UInt16 { 3 }

  // NFTA_PAYLOAD_…
  static var payloadDestination: UInt16 { 1 }
  static var payloadBase: UInt16 { 2 }
  static var payloadOffset: UInt16 { 3 }
  static var payloadLength: UInt16 { 4 }

  // NFTA_IMMEDIATE_…
  static var immediateDestination: UInt16 { 1 }
  static var immediateData: UInt16 { 2 }

  // NFTA_LIMIT_…
  static var limitRate: UInt16 { 1 }
  static var limitUnit: UInt16 { 2 }
  static var limitBurst: UInt16 { 3 }
  static var limitType: UInt16 { 4 }
  static var limitFlags: UInt16 { 5 }
}
