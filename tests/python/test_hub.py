"""Models of the Hugging Face Hub, downloaded by huggingface_hub from a server of ours."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from conftest import PROGRAM, SOURCE

MODEL = SOURCE / "tests" / "interchange" / "data" / "models" / "bert_sentences"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
#: What a repository holds besides, for other programs.
OTHERS = ["tf_model.h5", "pytorch_model.bin", "onnx/model.onnx", "original/consolidated.00.pth"]


class Hub(http.server.BaseHTTPRequestHandler):
    """The routes that huggingface_hub asks for, with the repository org/name."""

    files: dict[str, bytes] = {}

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, *_: object) -> None:
        pass

    def _content(self, path: str) -> bytes | None:
        if path.startswith("/api/models/org/name"):
            files = [
                {"type": "file", "path": name, "rfilename": name, "size": len(content), "oid": COMMIT}
                for name, content in self.files.items()
            ]
            model = {"id": "org/name", "sha": COMMIT, "siblings": files}
            return json.dumps(files if "/tree/" in path else model).encode()
        prefix = f"/org/name/resolve/{COMMIT}/"
        return self.files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None

    def _answer(self, with_body: bool) -> None:
        path = self.path.split("?")[0]
        content = self._content(path)
        if content is None:
            return self.send_error(404)
        self.send_response(200)
        is_json = path.startswith("/api/")
        self.send_header("Content-Type", "application/json" if is_json else "application/binary")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if with_body:
            self.wfile.write(content)


class Cache:
    """Caches of a test, and programs of Python that use them."""

    def __init__(self, folder: pathlib.Path, endpoint: str) -> None:
        self.snapshot = folder / "hf" / "hub" / "models--org--name" / "snapshots" / COMMIT
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("HF_")},
            "HF_ENDPOINT": endpoint,
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HOME": str(folder / "hf"),
            "ATTEND_CACHE": str(folder / "imports"),
        }

    def output_of(self, *command: object) -> str:
        done = subprocess.run(
            [os.fspath(word) for word in command],
            env=self.environment, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def says(self, code: str) -> str:
        program = f"""
import sys, attend
try:
    print({code})
except attend.Error as error:
    print(type(error).__name__, error)
"""
        return self.output_of(sys.executable, "-c", program)


@pytest.fixture
def hub(tmp_path: pathlib.Path) -> Iterator[Cache]:
    """Empty caches, and a hub with a model of vectors."""
    pytest.importorskip("huggingface_hub")
    Hub.files = {
        str(file.relative_to(MODEL)): file.read_bytes() for file in MODEL.rglob("*") if file.is_file()
    } | dict.fromkeys(OTHERS, b"of another program")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Cache(tmp_path, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()


SUM = ".encode('a dog').sum()"


def test_a_model_of_the_hub_is_downloaded_once(hub: Cache) -> None:
    downloaded = hub.says(f"attend.load('org/name'){SUM}")
    assert downloaded == hub.says(f"attend.load({str(MODEL)!r}){SUM}")
    Hub.files = {}
    assert downloaded == hub.says(f"attend.load('org/name'){SUM}")
    assert downloaded == hub.says(f"attend.load('org/name@{COMMIT}'){SUM}")


def test_files_for_other_programs_are_left_out(hub: Cache) -> None:
    hub.says("attend.load('org/name')")
    assert not [name for name in OTHERS if (hub.snapshot / name).exists()]
    assert (hub.snapshot / "1_Pooling" / "config.json").exists()


def test_an_interrupted_download_is_finished(hub: Cache) -> None:
    hub.snapshot.mkdir(parents=True)
    (hub.snapshot / "README.md").write_text("what came first")
    references = hub.snapshot.parent.parent / "refs"
    references.mkdir()
    (references / "main").write_text(COMMIT)
    assert "attend.Embedder" in hub.says("attend.load('org/name')")


def test_a_model_that_the_hub_does_not_have_is_named(hub: Cache) -> None:
    assert "IoError org/other: cannot download the model" in hub.says("attend.load('org/other')")


def test_without_huggingface_hub_the_command_is_said(hub: Cache) -> None:
    without = "sys.modules.update(huggingface_hub=None) or attend.load('org/name')"
    assert "`hf download org/name` downloads it" in hub.says(without)


def test_the_command_line_finds_what_was_downloaded(hub: Cache, tmp_path: pathlib.Path) -> None:
    one, other = tmp_path / "model", tmp_path / "again"
    hub.says(f"attend.import_model('org/name', {str(one)!r})")
    assert "a bert model" in hub.output_of(PROGRAM, "import", "org/name", "--out", other)
    assert other.read_bytes() == one.read_bytes()
