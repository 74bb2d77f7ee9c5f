// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of AsyncHTTPClient 1 and NIO 2, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class HTTPClient: Sendable {
  public init() {}

  public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
    try Connection.shared.open(else: HTTPClientError.connectTimeout)
    return HTTPClientResponse(body: .init())
  }
}

public struct HTTPClientError: Error, Equatable {
  public static let connectTimeout = HTTPClientError()
}

public struct HTTPClientRequest: Sendable {
  public var url: String

  public init(url: String) { self.url = url }
}

public struct HTTPClientResponse: Sendable {
  public struct Body: Sendable {
    public func collect(upTo maxBytes: Int) async throws -> ByteBuffer { ByteBuffer() }
  }

  public var body: Body
}

public struct ByteBuffer: Sendable {}

public struct TimeAmount: Sendable {
  public static func seconds(_ amount: Int64) -> TimeAmount { TimeAmount() }
}
