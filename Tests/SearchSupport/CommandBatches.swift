// SPDX-License-Identifier: Apache-2.0
import LiveSupport

/// The running `ip -batch` processes of several networks, which start when they are needed.
package struct CommandBatches {
  private struct Key: Hashable {
    var network: Int32
    var options: [String]
  }

  private var batches: [Key: CommandBatch] = [:]

  package init() {}

  /// Runs commands, and returns their results in order.
  ///
  /// - Throws: ``LiveError`` if `ip` itself ends, as after some invalid words; the next command starts it again.
  package mutating func run(
    _ commands: [String], in network: NetworkNamespace, _ options: [String] = []
  ) throws -> [CommandBatch.Outcome] {
    let key = Key(network: network.threadID, options: options)
    let batch = try batches[key] ?? CommandBatch(in: network, options)
    batches[key] = nil
    let outcomes = try batch.run(commands)
    batches[key] = batch
    return outcomes
  }

  /// Ends all processes, which remember the names of links.
  package mutating func forget() { batches = [:] }
}
