// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport

/// A real HTTP server on port 8080 of a network, which records its requests.
///
/// It holds the second half of some answers until the test releases it.
final class HoldingServer {
  private let network: NetworkNamespace
  private let folder: String
  private var process: pid_t?

  init(in network: NetworkNamespace) throws {
    self.network = network
    folder = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.program.write(toFile: folder + "/server.py", atomically: true, encoding: .utf8)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Starts the server, and waits until it listens.
  func start() throws {
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    let log = unsafe open(folder + "/errors", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(null)
      close(log)
    }
    let spawn = Spawn(
      words: ["/usr/bin/setpriv", "--pdeathsig", "KILL", "/usr/bin/python3", folder + "/server.py", folder],
      environment: ["PATH=/usr/bin:/bin"], output: null, errors: log)
    process = try network.run { try spawn() }
    do {
      try waitFor("ready")
    } catch {
      throw CommandError((try? String(contentsOfFile: folder + "/errors", encoding: .utf8)) ?? "\(error)")
    }
  }

  /// Kills the server, and with it its connections.
  func stop() {
    guard let process = process.take() else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    try? FileManager.default.removeItem(atPath: folder + "/ready")
  }

  /// Waits until the server has sent the first half of an answer, or holds an answer.
  func waitForHalf() throws { try waitFor("half") }

  /// Lets the server send what it holds.
  func sendRest() throws { try Data().write(to: URL(filePath: folder + "/go")) }

  private func waitFor(_ name: String) throws {
    try network.sh("for i in $(seq 1000); do [ -e '\(folder)/\(name)' ] && exit; sleep 0.01; done; exit 1")
  }

  /// The requests that arrived, with their bodies.
  var requests: [String] {
    let text = try? String(contentsOfFile: folder + "/requests", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  private static let program = #"""
    import http.server, os, socket, struct, sys, threading, time
    folder = sys.argv[1]
    seen = set()
    lock = threading.Lock()

    def path(name): return os.path.join(folder, name)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        present = 0

        def log_message(self, *words): pass

        def note(self, body=""):
            marks = [name for name in ["Authorization", "Cookie"] if self.headers.get(name)]
            self.write(f"{self.command} {self.path}{''.join('#' + mark for mark in marks)} {body}".rstrip())

        def write(self, line):
            with lock, open(path("requests"), "a") as file: file.write(line + "\n")

        def begin(self, length, status=200, headers={}):
            self.send_response(status)
            for name, value in headers.items(): self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def answer(self, body):
            self.begin(len(body))
            self.wfile.write(body)

        def hold(self):
            open(path("half"), "w").close()
            for _ in range(3000):
                if os.path.exists(path("go")): return
                time.sleep(0.01)

        def end(self, by_reset=False):
            if by_reset: self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else: self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            if by_reset: self.connection.close()

        def body(self):
            if self.headers.get("Transfer-Encoding", "") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = []
            while length := int(self.rfile.readline() or b"0", 16):
                parts.append(self.rfile.read(length + 2)[:-2])
            self.rfile.readline()
            return b"".join(parts)

        # Misbehaves as the first part of the path says; returns `None` for another path.
        def misbehave(self):
            # A proxy receives an absolute URL.
            kind = self.path.removeprefix("http://192.0.2.7").split("?")[0].split("/")[1]
            if kind == "drop": self.end()
            elif kind == "held-drop":
                self.hold()
                self.end()
            elif kind == "held-redirection":
                self.hold()
                self.begin(0, 307, {"Location": "http://10.1.0.2:9/"})
            elif kind == "away":
                self.begin(4, 307, {"Location": "http://10.1.0.3:8080/arrived" + self.path.split("away", 1)[1]})
                self.wfile.write(b"away")
            elif kind == "see-other": self.begin(0, 303, {"Location": "/arrived"})
            elif kind == "moved-drop" and not self.path.endswith("?again"):
                # The connection is kept, and then closes without an answer.
                self.begin(0, 307, {"Location": self.path + "?again"})
            elif kind == "moved-drop": self.end()
            elif kind in ["login", "login-drop"] and self.headers.get("Authorization") != "Basic dXNlcjp3b3Jk":
                self.begin(2, 401, {"WWW-Authenticate": 'Basic realm="lab"'})
                self.wfile.write(b"no")
            elif kind == "login-drop": self.end()
            elif kind == "digest":
                self.begin(2, 401, {"WWW-Authenticate": 'Digest realm="lab", nonce="7"'})
                self.wfile.write(b"no")
            elif kind == "reset": self.end(by_reset=True)
            elif kind == "interim":
                self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
                self.answer(b"late")
            elif kind == "late":
                time.sleep(0.05)
                self.answer(b"late")
            elif kind == "crowd":
                with lock: Handler.present += 1
                time.sleep(0.02)
                self.write(f"present {Handler.present}")
                with lock: Handler.present -= 1
                self.answer(b"taken")
            elif kind == "close":
                self.begin(5, headers={"Connection": "close"})
                self.wfile.write(b"close")
                self.close_connection = True
            elif kind == "moved" and self.path not in seen:
                seen.add(self.path)
                self.write(f"moved {self.path}")
                self.begin(0, 307, {"Location": self.path, "Connection": "close"})
                self.close_connection = True
            else: return None
            return True

        def handle_one_request(self):
            try: super().handle_one_request()
            except (OSError, ValueError): self.close_connection = True

        def do_GET(self):
            self.note()
            if self.misbehave(): pass
            elif self.path.endswith("/halves"):
                self.begin(200000)
                self.wfile.write(b"a" * 100000)
                self.wfile.flush()
                self.hold()
                self.wfile.write(b"b" * 100000)
            elif self.path.endswith("/missing"):
                self.begin(0, 404)
            else:
                self.answer(b"hello")

        def do_POST(self):
            body = self.body()
            self.note(body.decode())
            if not self.misbehave(): self.answer(b"taken")

        do_PUT = do_PATCH = do_DELETE = do_POST

    server = http.server.ThreadingHTTPServer(("", 8080), Handler)
    open(path("ready"), "w").close()
    server.serve_forever()
    """#
}
#endif
