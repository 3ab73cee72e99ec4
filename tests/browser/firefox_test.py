"""The page of `attend page` in headless Firefox, by its own protocol (Marionette), from disk: the answer of the program, the figure, and a
station of the tour. By page_test.sh.

    firefox_test.py FOLDER [SCREENSHOTS]
"""

import base64
import json
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import time

folder = pathlib.Path(sys.argv[1]).resolve()
screenshots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


class Firefox:
    def __init__(self):
        port = free_port()
        profile = folder / "firefox"
        profile.mkdir()
        (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\nuser_pref("network.proxy.type", 1);\n', encoding="utf-8")  # no network
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.rest, self.last = b"", 0
        self.line = self.connected(port)
        self.message()
        self("WebDriver:NewSession")
        self("WebDriver:SetWindowRect", width=1280, height=1000)
        self("WebDriver:SetTimeouts", script=120000, pageLoad=120000)

    def connected(self, port):
        for _ in range(600):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Firefox does not answer")

    def message(self):
        """Its length, a colon, and JSON."""
        while b":" not in self.rest:
            self.rest += self.line.recv(65536)
        size, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(size):
            self.rest += self.line.recv(65536)
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

    def until(self, condition, what):
        for _ in range(1200):
            if self.evaluate(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"no {what}: {self.evaluate('document.body.innerText')[:400]}")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent.trim()")

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def screenshot(self, name):
        if screenshots:
            (screenshots / f"{name}.png").write_bytes(base64.b64decode(self("WebDriver:TakeScreenshot", full=False)["value"]))


def as_float(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def check(firefox):
    expected = json.loads((folder / "attention.json").read_text(encoding="utf-8"))
    firefox("WebDriver:Navigate", url=f"file://{folder}/page.html")
    firefox.until("document.body.dataset.state === 'ready' && !document.getElementById('answer').hidden", "answer")
    firefox.evaluate(
        "void (window.kept = [], window.faults = [], URL.createObjectURL = (blob) => (blob.text().then((text) => kept.push(text)), ''), "
        "window.addEventListener('error', ({message}) => faults.push(message)))"
    )
    firefox.click(".keep[data-view=answer] [value=json]")
    firefox.until("window.kept.length", "numbers")
    kept = json.loads(firefox.evaluate("window.kept[0]"))["data"]["answer"]
    assert kept["translation"] == expected["translation"], kept
    assert as_float(kept["log_probability"]) == as_float(expected["log_probability"]), kept
    steps = int(firefox.text("#figure-steps").split("/")[1])
    assert steps > 20, steps
    firefox.evaluate("void (document.getElementById('figure-at').value = 0, document.getElementById('figure-at').dispatchEvent(new Event('input', {bubbles: true})))")
    for _ in range(steps - 1):
        firefox.click("#figure-next-step")
    assert firefox.text("#figure-steps") == f"{steps} / {steps}"
    for box in ("encoder-self", "decoder-cross", "encoder-ffn", "encoder-self-norm", "softmax"):
        firefox.click(f"#figure-boxes [data-id={box}]")
        assert firefox.text("#box-numbers"), box
    firefox.click("#figure-boxes [data-id=decoder-cross]")
    assert firefox.evaluate("document.querySelectorAll('#box-numbers canvas').length") >= 8
    for index in range(firefox.evaluate("document.querySelectorAll('#figure-source button').length")):
        firefox.click(f"#figure-source button[data-index='{index}']")
        if firefox.evaluate("document.getElementById('tour-answer').classList.contains('done')"):
            break
    assert firefox.text("#tour-answer").startswith("Yes"), firefox.text("#tour-answer")
    assert firefox.evaluate("window.faults.length") == 0
    firefox.screenshot("page-firefox")


browser = Firefox()
try:
    check(browser)
finally:
    browser.process.kill()
    browser.process.wait()
    shutil.rmtree(folder / "firefox", ignore_errors=True)
print("Firefox shows the page")
