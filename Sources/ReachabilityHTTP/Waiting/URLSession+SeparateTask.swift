import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
  /// Makes a task that cannot use an earlier connection, in a session with the same configuration that ends with it.
  ///
  /// If a kept connection turns out to be closed, libcurl sends the request again, whatever its method. Foundation
  /// has no body left for that second time. On Apple platforms the task belongs to this session: the system handles
  /// kept connections, and the session's delegate may be asked for credentials.
  func separateTask<Payload>(_ makeTask: SessionTask<Payload>.Maker) -> SessionTask<Payload> {
    #if canImport(FoundationNetworking)
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    #else
    let session = self
    #endif
    return SessionTask(of: session, makeTask)
  }
}
