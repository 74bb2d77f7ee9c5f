// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of gRPC Swift 2, its NIO transport and a generated client, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol ClientTransport: Sendable {}

public enum HTTP2ClientTransport {
  public struct Posix: ClientTransport {
    public struct TransportSecurity: Sendable {
      public static var tls: TransportSecurity { TransportSecurity() }
    }
  }
}

public protocol ResolvableTarget: Sendable {}

public enum ResolvableTargets {
  public struct DNS: ResolvableTarget {}
}

extension ResolvableTarget where Self == ResolvableTargets.DNS {
  public static func dns(host: String, port: Int? = nil) -> Self { Self() }
}

extension ClientTransport where Self == HTTP2ClientTransport.Posix {
  public static func http2NIOPosix(
    target: any ResolvableTarget, transportSecurity: HTTP2ClientTransport.Posix.TransportSecurity
  ) throws -> Self { Self() }
}

public final class GRPCClient<Transport: ClientTransport>: Sendable {
  init() {}
}

public func withGRPCClient<Transport: ClientTransport, Result: Sendable>(
  transport: Transport, isolation: isolated (any Actor)? = #isolation,
  handleClient: (GRPCClient<Transport>) async throws -> Result
) async throws -> Result {
  try await handleClient(GRPCClient())
}

public struct RPCError: Error {
  public struct Code: Hashable, Sendable {
    public static let unavailable = Code()
  }

  public var code: Code
}

public struct CallOptions: Sendable {
  public static var defaults: CallOptions { CallOptions() }
  public var waitForReady: Bool?
}

public struct Helloworld_HelloRequest: Sendable {
  public var name = ""

  public static func with(_ populator: (inout Self) throws -> Void) rethrows -> Self {
    var message = Self()
    try populator(&message)
    return message
  }
}

public struct Helloworld_HelloReply: Sendable {
  public var message: String
}

public enum Helloworld_Greeter {
  public struct Client<Transport: ClientTransport>: Sendable {
    public init(wrapping client: GRPCClient<Transport>) {}

    public func sayHello(
      _ message: Helloworld_HelloRequest, options: CallOptions
    ) async throws -> Helloworld_HelloReply {
      try Connection.shared.open(else: RPCError(code: .unavailable))
      return Helloworld_HelloReply(message: "Hello \(message.name)")
    }
  }
}
