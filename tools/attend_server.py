"""`attend serve` as a checking script uses it: many questions, one start."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


class Server:
    def __init__(self, attend, model, *options):
        self.port = free_port()
        self.process = subprocess.Popen([str(attend), "serve", str(model), "--listen", f"127.0.0.1:{self.port}", "--threads", "2", *options],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2400):
            assert self.process.poll() is None, "attend serve has ended"
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health").read()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("attend serve does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def post(self, route, **body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{route}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            return json.loads(urllib.request.urlopen(request).read())
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{route}: {error.read().decode()}") from error
