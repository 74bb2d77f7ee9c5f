// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// The HTTP servers of ``PortalLab``: a site and a captive portal.
enum PortalServer {
  /// A program for Python 3, which creates the file `ready` when it listens.
  static let program = #"""
    import http.server, json, os, socket, socketserver, ssl, subprocess, sys, threading, time

    root = sys.argv[1]
    def captive(): return os.path.exists(root + "/captive")

    class Site(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *words): pass

        def answer(self, code, body=b"", **headers):
            self.send_response(code)
            for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
            if code != 204: self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if code != 204: self.wfile.write(body)

        def do_GET(self):
            try: self.give()
            except (BrokenPipeError, ConnectionResetError): self.close_connection = True

        def do_HEAD(self):
            # The length is that of a body that only GET gets.
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()

        def give(self):
            path = self.path
            # A proxy's clients send absolute URLs.
            if path.startswith("http://"): path = "/" + path.split("/", 3)[3]
            if path == "/204": self.answer(204)
            elif path == "/page": self.answer(200, "ready: größer 42\n".encode(), X_Served_By="ours")
            elif path == "/moved": self.answer(301, Location="http://www.site.test/")
            elif path == "/elsewhere": self.answer(302, b"moved", Location="http://portal.test/login")
            elif path == "/nowhere": self.answer(302)
            elif path == "/hostile": self.answer(200, b"\x1b[2J\r\nevil\xff\x00", X_Served_By="a\x1b[31mb")
            elif path == "/511": self.answer(511, b"<a href='/login'>")
            elif path == "/silent": time.sleep(3600)
            elif path == "/late": time.sleep(1); self.answer(204)
            elif path == "/headers": self.answer(200, ("headers: " + str(self.headers)).encode())
            elif path == "/half":
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"half")
                self.wfile.flush()
                time.sleep(3600)
            elif path == "/endless":
                self.send_response(200)
                self.end_headers()
                # Endless for a client that reads a MiB, and finite for one that reads on.
                for _ in range(512): self.wfile.write(b"x" * 1048576)
                time.sleep(3600)
            elif path == "/cookie":
                # A client that sends a cookie has kept one.
                self.answer(200 if not self.headers.get("Cookie") else 400, b"", Set_Cookie="seen=1")
            elif path == "/count":
                Site.count += 1
                self.answer(200, str(Site.count).encode(), Cache_Control="max-age=3600")
            elif path == "/hang-up": self.connection.shutdown(2); self.close_connection = True
            else: self.answer(404, b"no such page")
    Site.count = 0

    class Portal(Site):
        def give(self):
            host = self.headers.get("Host", "").split(":")[0]
            if host == "portal.test" and self.path == "/accept":
                if captive(): os.remove(root + "/captive")
                self.answer(200, b"welcome")
            elif host == "portal.test" and self.path == "/login": self.answer(200, b"<form>")
            elif host == "portal.test" and self.path == "/api":
                if self.headers.get("Accept") != "application/captive+json": return self.answer(406)
                says = {"captive": captive()}
                if captive(): says["user-portal-url"] = "http://portal.test/login"
                self.answer(200, json.dumps(says).encode(), Content_Type="application/captive+json")
            elif captive(): self.answer(302, b"moved", Location="http://portal.test/login")
            else: super().give()

    # Invalid and unusual answers, named by the last part of the path.
    scripts = {
        "trailer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
        "cut": b"HTTP/1.1 200 OK\r\nServ",
        "cut-status": b"HTTP/1.1",
        "no-realm": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno",
        "digest": b'HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm="a", nonce="b"\r\nContent-Length: 2\r\n\r\nno',
        "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
        "bare": b"<html>ok</html>",
        "low": b"HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok",
        "high": b"HTTP/1.1 99999 High\r\nContent-Length: 2\r\n\r\nok",
        "empty": b"",
        "early": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3 + b"HTTP/1.1 404 No\r\n\r\n",
        "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n",
        "length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nok",
        "lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        "huge": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 60000,
        "long": b"HTTP/1.1 200 OK\r\nA: " + b"b" * 400000,
        "line": b"HTTP/1.1 200 OK\r\nA: " + b"b" * 50000000,
        "status-line": b"HTTP/1.1 200 " + b"b" * 50000000,
        "zero": b"HTTP/1.1 200 OK\r\nA: \0b\r\nContent-Length: 2\r\n\r\nok",
        "folded": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2\r\n\r\nok",
        "encoding": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
        "switch": b"HTTP/1.1 101 Switching\r\nUpgrade: other\r\n\r\nok",
        "two": b"HTTP/2 200\r\n\r\nok",
        # For a client of a proxy.
        "site.test:443": b"HTTP/1.1 511 Network Authentication Required\r\nContent-Length: 0\r\n\r\n",
        "locations": b"HTTP/1.1 302 Found\r\nLocation: http://login.test/?a\r\nlocation: http://other.test/\r\n\r\n",
        "location": b"HTTP/1.1 302 Found\r\nLocation: \r\n\r\n",
    }

    class Scripted(socketserver.BaseRequestHandler):
        def handle(self):
            head = b""
            while b"\r\n\r\n" not in head:
                more = self.request.recv(4096)
                if not more: return
                head += more
            name = head.split(b" ")[1].decode().rsplit("/", 1)[-1]
            try: self.request.sendall(scripts[name])
            except (BrokenPipeError, ConnectionResetError): pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 50
        def __init__(self, address, handler):
            if ":" in address[0]: self.address_family = socket.AF_INET6
            super().__init__(address, handler)
        def server_bind(self):
            # Without the name lookup of the base class.
            socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = self.server_address[:2]
        def handle_error(self, *words): pass

    def serve(address, port, handler, certificate=None):
        server = Server((address, port), handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate + ".crt", certificate + ".key")
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    serve("10.1.0.253", 80, Site)
    serve("10.1.0.254", 80, Portal)
    for name in ["site", "stranger"]:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=" + name + ".test", "-addext", "subjectAltName=DNS:" + name + ".test",
            "-keyout", root + "/" + name + ".key", "-out", root + "/" + name + ".crt"], check=True)
    serve("10.1.0.253", 443, Site, root + "/site")
    serve("10.1.0.253", 8080, Scripted)
    serve("10.1.0.253", 8443, Scripted, root + "/site")
    serve("::", 8081, Site)
    open(root + "/ready", "w").close()
    threading.Event().wait()
    """#
}
#endif
