# SPDX-License-Identifier: Apache-2.0
# The server of Examples/run: a file in two halves; the second is sent once the file `go` exists.
#
#   /whole    resumable: supports Range and If-Range with its entity tag
#   /simple   ignores ranges, and sends the complete file each time
#   /gone     404
import http.server
import os
import sys
import time

folder = sys.argv[1]
body = open(os.path.join(folder, "body"), "rb").read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        # A proxy receives a complete URL.
        self.path = self.path.removeprefix("http://192.0.2.7")
        if self.path == "/gone":
            self.send_error(404)
            return
        begin = 0
        if self.path == "/whole" and self.headers.get("If-Range") == '"1"':
            begin = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
        if self.path == "/whole":
            self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(body) - begin))
        self.end_headers()
        half = len(body) // 2
        self.wfile.write(body[begin:max(begin, half)])
        self.wfile.flush()
        for _ in range(6000):
            if os.path.exists(os.path.join(folder, "go")):
                break
            time.sleep(0.01)
        self.wfile.write(body[max(begin, half):])


server = http.server.ThreadingHTTPServer(("", 8080), Handler)
open(os.path.join(folder, "ready"), "w").close()
server.serve_forever()
