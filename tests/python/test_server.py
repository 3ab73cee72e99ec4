"""The server inside the package."""

from __future__ import annotations

import json
import pathlib
import shutil
import ssl
import subprocess
import sys
import urllib.request

import attend
import pytest
from conftest import Models


def serve(models: Models, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "attend", "serve", models.translator, "--listen", "127.0.0.1:0"]
    return subprocess.Popen(
        [*map(str, command), *map(str, options)], stderr=subprocess.PIPE, encoding="utf-8"
    )


def test_the_package_serves_https(models: Models, tmp_path: pathlib.Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs the program openssl, to make a certificate")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-out", certificate, "-keyout", key],
        check=True, capture_output=True,
    )  # fmt: skip
    server = serve(models, "--certificate", certificate, "--key", key)
    try:
        assert server.stderr
        url = next(line for line in server.stderr if "listening on" in line).split()[-1]
        assert url.startswith("https://")
        body = json.dumps({"q": ["the dog sleeps"], "source": "en", "target": "de"}).encode()
        request = urllib.request.Request(
            f"{url}/translate", body, {"Content-Type": "application/json"}
        )
        trusting = ssl.create_default_context(cafile=str(certificate))
        with urllib.request.urlopen(request, timeout=60, context=trusting) as response:
            found = json.load(response)["translatedText"]
        assert found == [attend.Translator(models.translator).translate("the dog sleeps").text]
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert server.returncode == 0


def test_a_wrong_certificate_is_named(models: Models, tmp_path: pathlib.Path) -> None:
    (tmp_path / "wrong.pem").write_text("nothing\n")
    server = serve(models, "--certificate", tmp_path / "wrong.pem", "--key", tmp_path / "wrong.pem")
    _, told = server.communicate(timeout=60)
    assert server.returncode != 0 and "--certificate: expected a PEM file" in told
