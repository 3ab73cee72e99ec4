"""Serves a folder to this machine with the headers that isolate its pages from others, so that attend may compute on several threads in them.

    python3 serve.py FOLDER [PORT]
"""

import functools
import http.server
import sys


class Isolated(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


folder, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8000
with http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Isolated, directory=folder)) as server:
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()
