#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A TCP server or client of the guides' networks.

listen ADDRESS:PORT…                    accepts connections, and reads
web ADDRESS:PORT [CERTIFICATE KEY]      answers requests; /api as a captive portal's interface does (RFC 8908)
talk NAME SOURCE:PORT SERVER:PORT       connects as a process of this name, and sends 50 bytes every half second
session NAME ADDRESS:PORT               accepts one connection as a process of this name, and keeps it
"""
import http.server
import socket
import ssl
import sys
import threading
import time
from pathlib import Path


def place(text):
    address, _, port = text.rpartition(":")
    return address, int(port)


def drain(connection):
    while connection.recv(4096):
        pass


def listen(text):
    server = socket.create_server(place(text))
    while True:
        threading.Thread(target=drain, args=(server.accept()[0],), daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_portal = self.path == "/api"
        body = b'{"captive":false}' if is_portal else b"yes\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/captive+json" if is_portal else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


mode, *words = sys.argv[1:]
if mode == "listen":
    for word in words[1:]:
        threading.Thread(target=listen, args=(word,), daemon=True).start()
    listen(words[0])
elif mode == "web":
    server = http.server.ThreadingHTTPServer(place(words[0]), Handler)
    if len(words) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*words[1:])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()
elif mode == "talk":
    Path("/proc/self/comm").write_text(words[0])
    connection = socket.create_connection(place(words[2]), timeout=20, source_address=place(words[1]))
    connection.settimeout(None)
    while True:
        connection.sendall(b"." * 50)
        # The rate of the program, not a wait for anything.
        time.sleep(0.5)
elif mode == "session":
    Path("/proc/self/comm").write_text(words[0])
    server = socket.create_server(place(words[1]))
    connection = server.accept()[0]
    server.close()
    drain(connection)
else:
    raise SystemExit(__doc__)
