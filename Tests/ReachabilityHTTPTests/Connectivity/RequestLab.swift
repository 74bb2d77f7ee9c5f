#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport

/// Two hosts on one cable, `v0` here and `p0` at the far end, where a real HTTP server answers at `10.1.0.2:8080`.
///
/// Requests are made by a program of its own, since Foundation's threads are in no test's network. What the server sends in two
/// halves it sends when the test lets it.
final class RequestLab {
  let host: NetworkNamespace
  let peer: NetworkNamespace
  private let folder: String
  private var server: pid_t?

  static let url = "http://10.1.0.2:8080"

  init() throws {
    host = try NetworkNamespace()
    peer = try NetworkNamespace()
    folder = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.server.write(toFile: folder + "/server.py", atomically: true, encoding: .utf8)
    try host.raiseLoopback()
    try peer.raiseLoopback()
    try host.ip("link add v0 type veth peer name p0 netns \(peer.path)")
    try host.ip("addr add 10.1.0.1/24 dev v0")
    try peer.ip("addr add 10.1.0.2/24 dev p0")
    try peer.ip("link set p0 up")
    try raiseLink()
    try serve()
  }

  deinit {
    stopServing()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Brings the link here up, and waits for its carrier, which the kernel notices a moment later.
  func raiseLink() throws {
    try host.ip("link set v0 up")
    try host.sh("for i in $(seq 2000); do ip link show v0 | grep -q 'state UP' && exit; done; exit 1")
  }

  /// Starts the server, and waits until it listens.
  func serve() throws {
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    let log = unsafe open(folder + "/errors", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(null)
      close(log)
    }
    let spawn = Spawn(
      words: ["/usr/bin/setpriv", "--pdeathsig", "KILL", "/usr/bin/python3", folder + "/server.py", folder],
      environment: ["PATH=/usr/bin:/bin"], output: null, errors: log)
    server = try peer.run { try spawn() }
    do {
      try waitFor("ready")
    } catch {
      throw CommandError((try? String(contentsOfFile: folder + "/errors", encoding: .utf8)) ?? "\(error)")
    }
  }

  /// Kills the server, whose connections end with it.
  func stopServing() {
    guard let server = server.take() else { return }
    kill(server, SIGKILL)
    waitpid(server, nil, 0)
    try? FileManager.default.removeItem(atPath: folder + "/ready")
  }

  /// Waits until the server has sent the first half of something, or holds an answer back.
  func waitForHalf() throws { try waitFor("half") }

  /// Lets the server send what it holds back.
  func sendRest() throws { try Data().write(to: URL(filePath: folder + "/go")) }

  private func waitFor(_ name: String) throws {
    try peer.sh("for i in $(seq 1000); do [ -e '\(folder)/\(name)' ] && exit; sleep 0.01; done; exit 1")
  }

  /// The requests that came, with their bodies.
  var requests: [String] {
    let text = try? String(contentsOfFile: folder + "/requests", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  /// Starts the program that makes requests.
  func start(_ words: String..., environment: [String: String] = [:]) throws -> RunningCommand {
    try RunningCommand(words, of: "RequestProgram", in: host, environment: environment)
  }

  private static let server = #"""
    import http.server, os, sys, time
    folder = sys.argv[1]

    def path(name): return os.path.join(folder, name)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *words): pass

        def note(self, body=""):
            with open(path("requests"), "a") as file: file.write(f"{self.command} {self.path} {body}".rstrip() + "\n")

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

        def do_GET(self):
            self.note()
            if self.path.endswith("/halves"):
                self.begin(200000)
                self.wfile.write(b"a" * 100000)
                self.wfile.flush()
                self.hold()
                self.wfile.write(b"b" * 100000)
            elif self.path.endswith("/held-redirection"):
                self.hold()
                self.begin(0, 307, {"Location": "http://10.1.0.2:9/"})
            elif self.path.endswith("/missing"):
                self.begin(0, 404)
            else:
                self.answer(b"hello")

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.note(body.decode())
            self.answer(b"taken")

        do_PUT = do_POST

    server = http.server.ThreadingHTTPServer(("", 8080), Handler)
    open(path("ready"), "w").close()
    server.serve_forever()
    """#
}
#endif
