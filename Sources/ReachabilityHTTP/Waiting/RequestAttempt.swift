// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// One attempt to make a request: its task, and those that redirects and challenges lead to.
///
/// The session's delegate decides about these, on its queue, as for a task of the session. In place of the tasks of
/// other sessions it sees one of its own.
struct RequestAttempt<Payload: ResponsePayload>: Sendable {
  /// The maximum number of tasks after the first one, as in Foundation.
  private static var limit: Int { 20 }

  private let session: URLSession
  private let delegate: (any URLSessionTaskDelegate)?
  /// The task that the delegate sees.
  private let task: URLSessionTask?
  private let makeTask: SessionTask<Payload>.Maker

  init(
    in session: URLSession, seenAs task: URLSessionTask?, by makeTask: @escaping SessionTask<Payload>.Maker
  ) {
    self.session = session
    delegate = session.delegate as? any URLSessionTaskDelegate
    self.task = task
    self.makeTask = makeTask
  }

  /// Makes the request, and follows redirects.
  ///
  /// - Parameter place: The place of a connection of its own; `nil` if the first task may use a connection of the
  ///   session.
  func response(to first: URLRequest, on place: ConnectionPlace?) async throws -> (Payload, URLResponse) {
    var request = first
    var login: (space: URLProtectionSpace, credential: URLCredential)?
    var failures = 0
    var place = place
    defer { place?.leave() }
    var number = 0
    while true {
      if number > 0 {
        place = place ?? ConnectionPlace(in: session)
        try await place?.enter(for: request)
      }
      switch try await end(of: request, onOwnConnection: place != nil) {
      case .response(let payload, let response):
        if let login { session.configuration.urlCredentialStorage?.set(login.credential, for: login.space) }
        return (payload, response)
      case .question(.redirect(let response, var next), let payload, _):
        // The session adds its cookies for the new address.
        next.setValue(request.value(forHTTPHeaderField: "Cookie"), forHTTPHeaderField: "Cookie")
        if next.httpMethod == "GET" { next.httpBodyStream = nil }
        if login != nil, !request.hasOrigin(of: next) {
          next.setValue(first.value(forHTTPHeaderField: "Authorization"), forHTTPHeaderField: "Authorization")
          login = nil
        }
        guard next.canFollow(request), let next = try await answer(to: response, with: next) else {
          return (try payload ?? .empty(), response)
        }
        payload?.discard()
        guard number < Self.limit else {
          throw URLError(.httpTooManyRedirects, of: request, "too many HTTP redirects")
        }
        guard next.url?.isForBrowsers == true else {
          throw URLError(
            .unsupportedURL, of: next, "a redirect leads to a URL that is neither http nor https")
        }
        request = next
      case .question(.challenge(let challenge), _, _):
        let credential = try await answer(to: challenge, after: failures, failing: login?.credential)
        failures += 1
        guard let credential, number < Self.limit, request.httpBodyStream == nil,
          challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        else {
          guard let response = challenge.failureResponse else { throw URLError(.userAuthenticationRequired) }
          return (try .empty(), response)
        }
        login = (challenge.protectionSpace, credential)
        let words = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8).base64EncodedString()
        request.setValue("Basic \(words)", forHTTPHeaderField: "Authorization")
      }
      number += 1
    }
  }

  /// Runs one task.
  ///
  /// If a kept connection turns out to be closed, libcurl sends the request again, whatever its method. Foundation
  /// has no body left for that second time. A session that begins and ends with the task has no earlier connection.
  private func end(of request: URLRequest, onOwnConnection isSeparate: Bool) async throws
    -> SessionTask<Payload>.End
  {
    guard isSeparate else {
      let follow: (@Sendable (URLRequest) -> URLRequest)? = delegate == nil ? session.withCookies : nil
      return try await SessionTask(of: session, for: request, following: follow, makeTask).end()
    }
    let other = URLSession(configuration: session.configuration)
    defer { other.finishTasksAndInvalidate() }
    return try await SessionTask(of: other, for: request, makeTask).end()
  }

  /// Asks the delegate about a redirect; returns the request that follows it.
  private func answer(to response: HTTPURLResponse, with next: URLRequest) async throws -> URLRequest? {
    guard let delegate, let task else { return next }
    return try await ask { [session] in
      delegate.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: next, completionHandler: $0)
    }
  }

  /// Asks the delegate about a challenge; returns the credential to use.
  private func answer(
    to challenge: URLAuthenticationChallenge, after failures: Int, failing last: URLCredential?
  ) async throws -> URLCredential? {
    let proposal = challenge.proposedCredential == last ? nil : challenge.proposedCredential
    guard let delegate, let task, let sender = challenge.sender else { return proposal }
    let challenge = URLAuthenticationChallenge(
      protectionSpace: challenge.protectionSpace, proposedCredential: proposal,
      previousFailureCount: failures,
      failureResponse: challenge.failureResponse, error: challenge.error, sender: sender)
    let (disposition, credential) = try await ask { [session] answer in
      delegate.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
    }
    switch disposition {
    case .useCredential: return credential
    case .performDefaultHandling: return proposal
    case .cancelAuthenticationChallenge, .rejectProtectionSpace: throw URLError(.cancelled)
    }
  }

  /// Calls the delegate on its queue, and waits for its answer, of which only the first one counts.
  private func ask<Answer: Sendable>(
    _ call: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void
  ) async throws -> Answer {
    let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
    session.delegateQueue.addOperation {
      call { continuation.yield($0) }
    }
    for await answer in answers { return answer }
    throw URLError(.cancelled)
  }
}

extension URLSession {
  /// Sets the cookies that the session has for a request, as the session does for a request without a delegate.
  @Sendable fileprivate func withCookies(_ request: URLRequest) -> URLRequest {
    guard configuration.httpShouldSetCookies, let url = request.url,
      let cookies = configuration.httpCookieStorage?.cookies(for: url),
      let text = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    else { return request }
    var request = request
    request.setValue(text, forHTTPHeaderField: "Cookie")
    return request
  }
}

extension URLRequest {
  /// Whether a task can be made for this redirect of a request: a body that is a stream cannot be read twice.
  fileprivate func canFollow(_ request: URLRequest) -> Bool {
    request.httpBodyStream == nil || httpBodyStream == nil || httpMethod != request.httpMethod
  }

  /// Whether scheme, host and port are those of another request (RFC 6454).
  fileprivate func hasOrigin(of other: URLRequest) -> Bool {
    url?.scheme == other.url?.scheme && url?.host() == other.url?.host() && url?.port == other.url?.port
  }
}
#else
/// One attempt to make a request: its task, which asks the session's delegate itself.
struct RequestAttempt<Payload: ResponsePayload>: Sendable {
  private let session: URLSession
  private let makeTask: SessionTask<Payload>.Maker

  init(
    in session: URLSession, seenAs task: URLSessionTask?, by makeTask: @escaping SessionTask<Payload>.Maker
  ) {
    self.session = session
    self.makeTask = makeTask
  }

  /// Makes the request; the system keeps connections, and their limit.
  func response(to request: URLRequest, on place: ConnectionPlace?) async throws -> (Payload, URLResponse) {
    defer { place?.leave() }
    guard
      case .response(let payload, let response) = try await SessionTask(of: session, for: request, makeTask)
        .end()
    else { throw URLError(.unknown) }
    return (payload, response)
  }
}
#endif

extension URLError {
  init(_ code: Code, of request: URLRequest, _ text: String, underlying: URLError? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: text]
    details[NSURLErrorFailingURLErrorKey] = request.url
    details[NSUnderlyingErrorKey] = underlying
    self.init(code, userInfo: details)
  }

  /// Whether this failure proves that no connection was made, so that no part of the request arrived anywhere.
  ///
  /// On Linux only libcurl's text is proof: Foundation has one code (−1) for a missing route, an untrusted certificate
  /// and a connection that broke in the middle. Its −1004 covers every failure after one of a host's addresses
  /// refused, also in the middle. The texts are those of libcurl's codes 5, 6 and 7 (`CURLE_COULDNT_RESOLVE_PROXY`,
  /// `…_RESOLVE_HOST`, `CURLE_COULDNT_CONNECT`). An unknown text proves nothing.
  var provesNoConnection: Bool {
    #if canImport(FoundationNetworking)
    let text = localizedDescription
    return Self.beginnings.contains { text.hasPrefix($0) }
    #else
    switch code {
    case .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .dataNotAllowed,
      .internationalRoamingOff, .callIsActive:
      return true
    default: return false
    }
    #endif
  }

  #if canImport(FoundationNetworking)
  /// The beginnings of libcurl's texts, in 7.68 and in 8.
  private static let beginnings = [
    "Failed to connect to ", "Couldn't connect to server", "Could not connect to server",
    "Could not resolve host", "Couldn't resolve host", "Could not resolve proxy", "Couldn't resolve proxy",
  ]
  #endif
}
