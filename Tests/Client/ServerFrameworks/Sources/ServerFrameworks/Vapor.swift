// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of Vapor 4, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class Application: Sendable {
  public init() {}
}

public protocol LifecycleHandler: Sendable {
  func willBootAsync(_ application: Application) async throws
}

public final class Request: Sendable {
  public init() {}

  public var client: any Client { SystemClient() }
}

public protocol Client: Sendable {
  func get(_ url: URI) async throws -> ClientResponse
}

private struct SystemClient: Client {
  func get(_ url: URI) async throws -> ClientResponse {
    try Connection.shared.open(else: HTTPClientError.connectTimeout)
    return ClientResponse()
  }
}

public struct ClientResponse: Sendable {}

public struct URI: Sendable, ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {}
}
