"""A page in headless Firefox, by its own protocol (Marionette), without a network.

    firefox.py ADDRESS FOLDER  prints what the page at the address answers (answering() of headless.js); FOLDER is for what Firefox keeps
"""

import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


class Firefox:
    """FOLDER is for what it keeps."""

    def __init__(self, folder):
        self.profile = folder / "firefox"
        self.rest, self.last = b"", 0

    def __enter__(self):
        port = free_port()
        self.profile.mkdir()
        # Whatever is not on this machine is asked of a proxy that does not exist.
        settings = {"marionette.port": port, "network.proxy.type": 1, "network.proxy.socks": "127.0.0.1", "network.proxy.socks_port": 1}
        (self.profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()), encoding="utf-8")
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(self.profile)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.line = self.connected(port)
            self.message()
            self("WebDriver:NewSession")
            self("WebDriver:SetWindowRect", width=1280, height=1000)
            self("WebDriver:SetTimeouts", script=120000, pageLoad=120000)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def connected(self, port):
        for _ in range(600):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Firefox does not answer")

    def receive(self):
        more = self.line.recv(65536)
        assert more, "Firefox has ended"
        self.rest += more

    def message(self):
        """Its length, a colon, and JSON."""
        while b":" not in self.rest:
            self.receive()
        size, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(size):
            self.receive()
        text, self.rest = self.rest[: int(size)], self.rest[int(size) :]
        return json.loads(text)

    def __call__(self, command, **parameters):
        self.last += 1
        text = json.dumps([0, self.last, command, parameters]).encode()
        self.line.sendall(b"%d:%s" % (len(text), text))
        _, _, error, value = self.message()
        assert not error, error
        return value

    def evaluate(self, code):
        return self("WebDriver:ExecuteScript", script=f"return {code}", sandbox=None)["value"]  # in the page itself

    def until(self, condition, what, seconds=60):
        for _ in range(20 * seconds):
            if self.evaluate(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"no {what}: {self.evaluate('document.body.innerText')[:400]}")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent.trim()")

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


if __name__ == "__main__":
    address, place = sys.argv[1:]
    with Firefox(pathlib.Path(place).resolve()) as browser:
        browser("WebDriver:Navigate", url=address)
        browser.until("window.answer", "answer", 300)
        print(browser.evaluate("window.answer"))
