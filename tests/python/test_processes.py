"""Models in other processes: forked from one that has computed, and spawned."""

from __future__ import annotations

import http.client
import multiprocessing
import pathlib
import socket
import subprocess
import sys
import time
from multiprocessing.pool import Pool

import attend
import pytest
from conftest import ENGLISH, Models

translator: attend.Translator | None = None


def translate_with_parents_model(sentence: str) -> str:
    assert translator is not None
    return translator.translate(sentence).text


def translate_with(pair: tuple[attend.Translator, str]) -> str:
    model, sentence = pair
    return model.translate(sentence).text


def test_a_model_works_after_fork(models: Models) -> None:
    global translator
    translator = attend.Translator(models.translator, threads=2)
    expected = [one.text for one in translator.translate(ENGLISH)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        answers = pool.map_async(translate_with_parents_model, ENGLISH)
        assert answers.get(timeout=60) == expected
    assert [one.text for one in translator.translate(ENGLISH)] == expected


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_model_travels_to_workers_as_its_path(models: Models, method: str) -> None:
    model = attend.Translator(models.translator)
    expected = [one.text for one in model.translate(ENGLISH)]
    pool: Pool
    with multiprocessing.get_context(method).Pool(2) as pool:
        answers = pool.map_async(translate_with, [(model, sentence) for sentence in ENGLISH])
        assert answers.get(timeout=60) == expected


APPLICATION = """
import os
import attend

translator = attend.Translator({model!r}, threads=2)
translator.translate(["the dog sleeps"] * 8)  # the threads of the parent have worked


def application(environ, start_response):
    text = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
    start_response("200 OK", [("X-Worker", str(os.getpid()))])
    return [translator.translate(text).text.encode()]
"""


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket, whose name needs no free port."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        for _ in range(600):
            try:
                return self.sock.connect(str(self.path))
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.1)
        raise TimeoutError(f"nobody listens at {self.path}")


def test_workers_of_gunicorn_share_a_preloaded_model(models: Models, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("gunicorn")
    (tmp_path / "app.py").write_text(APPLICATION.format(model=str(models.translator)))
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--preload", "--workers", "3", "--bind", "unix:socket",
         "--chdir", tmp_path, "app:application"],
        cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    try:
        answers, workers = [], set()
        for sentence in ENGLISH * 8:
            connection = UnixConnection(tmp_path / "socket")
            connection.request("POST", "/", sentence.encode())
            response = connection.getresponse()
            answers.append(response.read().decode())
            workers.add(response.headers["X-Worker"])
            connection.close()
        expected = [one.text for one in attend.Translator(models.translator).translate(ENGLISH)]
        assert answers == expected * 8
        assert str(server.pid) not in workers
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert server.returncode == 0
