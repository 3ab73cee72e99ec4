"""64 clients send jobs of every kind as fast as they can: in a run of 30 seconds or more, ten times what the server takes. Every accepted answer
has the bytes of the command line, everything else is refused with 503 and Retry-After, the counts of the server agree, and its memory stays flat.

usage: overload_test.py ATTEND URL PID SECONDS
"""

import json
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

CLIENTS = 64
attend, url, pid, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
address = urllib.parse.urlsplit(url)
SENTENCES = ["The old dog sees the cat.", "A cat eats the fish.", "The dog sleeps.", "The cat sees a fish.", "The old cat eats a fish."]


def command(*arguments, text=""):
    return subprocess.run([attend, *arguments, "--threads", "1"], input=text, capture_output=True, text=True, check=True).stdout


def request_of(path, body):
    body = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def jobs():
    """(path, request, what the answer must have, where it has that); long ones more often."""
    translations = command("translate", "en-de", text="\n".join(SENTENCES) + "\n").splitlines()
    labels = [line.split("\t")[0] for line in command("classify", "films", text="A good film.\nA bad film.\n").splitlines()]
    continuation = json.loads(command("generate", "lm", "--prompt", "The old", "--max-tokens", "40", "--temperature", "0.5", "--seed", "3", "--format", "json"))
    vector = json.loads(command("embed", "vectors.safetensors", text="A dog sleeps.\n"))["vector"]
    pair = {"source": "en", "target": "de"}
    prompt = {"prompt": "The old", "max_tokens": 40, "temperature": 0.5, "seed": 3}
    all_jobs = [("/translate", {"q": one, **pair}, lambda answer: answer["translatedText"], own) for one, own in zip(SENTENCES, translations)]
    all_jobs += [
        ("/predict", {"inputs": ["A good film.", "A bad film."] * 4}, lambda answer: [one[0]["label"] for one in answer], labels * 4),
        ("/embed", {"inputs": "A dog sleeps.", "normalize": False}, lambda answer: answer[0], vector),
    ]
    long_jobs = [
        ("/translate", {"q": SENTENCES * 2, **pair}, lambda answer: answer["translatedText"], translations * 2),
        ("/translate", {"q": "\n\n".join(SENTENCES), **pair}, lambda answer: answer["translatedText"], "\n\n".join(translations)),
        ("/v1/completions", {"n": 16, **prompt}, lambda answer: answer["choices"][0]["text"], continuation["text"]),
        ("/v1/completions", {"stream": True, **prompt}, None, continuation["text"]),
    ]
    return [(path, request_of(path, body), part, expected) for path, body, part, expected in all_jobs + 20 * long_jobs]


def same(found, expected):
    if expected and isinstance(expected, list) and isinstance(expected[0], float):
        return len(found) == len(expected) and all(abs(a - b) < 1e-6 for a, b in zip(found, expected))
    return found == expected


def streamed(text):
    events = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
    assert events[-1] == "[DONE]", events[-1]
    return "".join(json.loads(event)["choices"][0]["text"] for event in events[:-1])


class Connection:
    """Sends bytes and reads responses: a library would take longer for a request than a server that refuses it."""

    def __init__(self):
        self.socket = socket.create_connection((address.hostname, address.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def close(self):
        self.socket.close()

    def more(self):
        received = self.socket.recv(1 << 16)
        assert received, "the server has closed the connection"
        self.buffer += received

    def take(self, size):
        while len(self.buffer) < size:
            self.more()
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def take_to(self, end):
        while (at := self.buffer.find(end)) < 0:
            self.more()
        return self.take(at + len(end))

    def ask(self, request):
        """(status, head, body)"""
        self.socket.sendall(request)
        head = self.take_to(b"\r\n\r\n")
        if (at := head.find(b"\r\nContent-Length: ")) >= 0:
            body = self.take(int(head[at + 18 : head.index(b"\r\n", at + 18)]))
        else:
            assert b"\r\nTransfer-Encoding: chunked\r\n" in head, head
            body = b""
            while size := int(self.take_to(b"\r\n"), 16):
                body += self.take(size)
                self.take(2)
            self.take(2)
        return int(head[9:12]), head, body.decode()


class Client(threading.Thread):
    def __init__(self, number, all_jobs, until):
        super().__init__(daemon=True)
        self.random, self.all_jobs, self.until = random.Random(number), all_jobs, until
        self.accepted = self.refused = self.gone = 0
        self.error = None

    def run(self):
        try:
            connection = Connection()
            while time.monotonic() < self.until:
                path, request, part, expected = self.random.choice(self.all_jobs)
                if self.random.random() < 0.01:  # hangs up before the answer
                    connection.socket.sendall(request)
                    connection.close()
                    connection = Connection()
                    self.gone += 1
                    continue
                status, head, text = connection.ask(request)
                if status == 503:
                    assert b"\r\nRetry-After: 1\r\n" in head and "error" in json.loads(text), (head, text)
                    self.refused += 1
                    continue
                assert status == 200, (status, text)
                found = part(json.loads(text)) if part else streamed(text)
                assert same(found, expected), f"{path}: expected {expected!r}, found {found!r}"
                self.accepted += 1
        except Exception as error:
            self.error = RuntimeError(f"{path}: {error!r}")


def resident_mebibytes():
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def metric(text, name):
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


all_jobs = jobs()
until = time.monotonic() + seconds
clients = [Client(number, all_jobs, until) for number in range(CLIENTS)]
for client in clients:
    client.start()
memory = []
while time.monotonic() < until:
    time.sleep(seconds / 60)
    memory.append(resident_mebibytes())
for client in clients:
    client.join(60)
    assert not client.is_alive(), "a request has no answer"
    if client.error:
        raise client.error
accepted, refused, gone = (sum(getattr(client, name) for client in clients) for name in ("accepted", "refused", "gone"))

for _ in range(200):  # those who hung up may still run
    metrics = urllib.request.urlopen(url + "/metrics").read().decode()
    if metric(metrics, "attend_running_items") == metric(metrics, "attend_queue_items") == 0:
        break
    time.sleep(0.05)
assert metric(metrics, "attend_running_items") == metric(metrics, "attend_queue_items") == 0, metrics
posts = [line for line in metrics.splitlines() if line.startswith("attend_http_requests_total") and "/metrics" not in line]
counted = {code: metric("\n".join(line for line in posts if f'code="{code}"' in line), "") for code in (200, 503, 499)}
assert accepted <= counted[200] <= accepted + gone and refused <= counted[503] <= refused + gone, (accepted, refused, gone, counted)
assert sum(metric(line, "") for line in posts) <= accepted + refused + gone, metrics

settled = memory[len(memory) // 3 :]
half = len(settled) // 2
growth = max(settled[half:]) - max(settled[:half])
offered = accepted + refused + gone
print(f"{seconds:.0f} s: {offered} requests, {offered / accepted:.1f} for each accepted one: {accepted} right, {refused} refused, {gone} hung up; "
      f"memory {settled[0]:.0f} to {max(settled):.0f} MiB")
assert accepted > 10 and refused > accepted, "no overload"
assert seconds < 30 or offered >= 10 * accepted, "less than ten times what is accepted"
assert growth < 8, f"memory grew by {growth:.1f} MiB: {memory}"
