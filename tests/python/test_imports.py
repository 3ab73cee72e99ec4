"""Directories of other programs: imported once, and again after any change."""

from __future__ import annotations

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PROGRAM, SOURCE

import attend

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


@pytest.fixture
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The cache of one test, which is made when it is needed."""
    folder = tmp_path / "caches" / "attend"
    monkeypatch.setenv("ATTEND_CACHE", str(folder))
    return folder


@pytest.fixture
def directory(tmp_path: pathlib.Path) -> pathlib.Path:
    return shutil.copytree(FOREIGN / "bert_sentences", tmp_path / "model")


def imports_in(cache: pathlib.Path) -> list[str]:
    return sorted(file.name for file in cache.glob("*.safetensors"))


def test_a_directory_is_imported_once_and_stays_as_it_is(
    cache: pathlib.Path, directory: pathlib.Path
) -> None:
    before = sorted(directory.rglob("*"))
    first = attend.load(directory)
    written = os.stat(first.path).st_mtime_ns
    assert attend.load(directory).path == first.path
    assert pathlib.Path(first.path).parent == cache
    assert os.stat(first.path).st_mtime_ns == written
    assert sorted(directory.rglob("*")) == before


def export(tmp_path: pathlib.Path, name: str, format: str, out: pathlib.Path) -> Any:
    """A model of transformers as another program has it."""
    model = tmp_path / "own.safetensors"
    attend.import_model(FOREIGN / name, model)
    subprocess.run([PROGRAM, "export", model, "--format", format, "--out", out], check=True)
    return attend.load(model)


def test_a_file_of_llama_cpp_is_imported(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "model.gguf"
    own = export(tmp_path, "llama", "gguf", file)
    model = attend.load(file)
    assert pathlib.Path(model.path).parent == cache
    assert attend.load(file).path == model.path
    assert model.score(["a text"])[0].log_probability == own.score(["a text"])[0].log_probability


def test_a_directory_of_ctranslate2_is_imported(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "ct2"
    own = export(tmp_path, "marian", "ctranslate2", directory)
    model = attend.load(directory)
    assert pathlib.Path(model.path).parent == cache
    assert model.translate("a text").tokens == own.translate("a text").tokens


def test_a_package_of_argos_is_one_for_import(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    package = tmp_path / "translate.argosmodel"
    package.write_bytes(b"not a zip")
    with pytest.raises(attend.DataError, match="translate.argosmodel"):
        attend.load(package)


def replace_by_an_older_file(directory: pathlib.Path) -> None:
    file = directory / "config.json"
    older = file.with_suffix(".new")
    shutil.copyfile(file, older)
    os.utime(older, (1e9, 1e9))
    older.replace(file)


def edit_below_the_top(directory: pathlib.Path) -> None:
    file = directory / "1_Pooling" / "config.json"
    times = file.stat()
    text = file.read_text()
    assert '"pooling_mode_cls_token": false' in text and '"pooling_mode_mean_tokens": true' in text
    swapped = text.replace("false", "#").replace("true", "false").replace("#", "true")
    file.write_text(swapped.ljust(len(text)))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # and the same size


def add_a_file(directory: pathlib.Path) -> None:
    (directory / "more.txt").write_text("")


def rename_a_file(directory: pathlib.Path) -> None:
    (directory / "more.md").rename(directory / "other.md")


def remove_a_file(directory: pathlib.Path) -> None:
    (directory / "more.md").unlink()


@pytest.mark.parametrize(
    "change",
    [replace_by_an_older_file, edit_below_the_top, add_a_file, rename_a_file, remove_a_file],
)
def test_any_change_of_a_file_is_noticed(
    cache: pathlib.Path, directory: pathlib.Path, change: Callable[[pathlib.Path], None]
) -> None:
    (directory / "more.md").write_text("notes")
    before = attend.load(directory).path
    change(directory)
    after = attend.load(directory).path
    assert after != before
    assert imports_in(cache) == [pathlib.Path(after).name], "the earlier import is gone"


def test_an_edited_pooling_changes_the_vectors(
    cache: pathlib.Path, directory: pathlib.Path
) -> None:
    before = attend.Embedder(directory).encode("the dog sleeps")
    edit_below_the_top(directory)
    after = attend.Embedder(directory).encode("the dog sleeps")
    assert len(after) == 3 * len(before), "three poolings instead of one"


def test_a_directory_that_cannot_be_written_is_read(
    cache: pathlib.Path, directory: pathlib.Path
) -> None:
    for place in [directory, *directory.rglob("*")]:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        assert isinstance(attend.load(directory), attend.Embedder)
        assert not (directory / ".attend.safetensors").exists()
    finally:
        for place in [directory, *directory.rglob("*")]:
            place.chmod(0o755)


def test_a_snapshot_of_links_is_its_files(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """As the cache of Hugging Face has them: the files are links to blobs."""
    model = tmp_path / "models--org--name"
    blobs, snapshot = model / "blobs", model / "snapshots" / "1"
    blobs.mkdir(parents=True)
    original = FOREIGN / "bert_sentences"
    for number, file in enumerate(sorted(original.rglob("*"))):
        place = snapshot / file.relative_to(original)
        if file.is_dir():
            place.mkdir(parents=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, blobs / str(number))
        place.symlink_to(os.path.relpath(blobs / str(number), place.parent))
    first = attend.load(snapshot).path
    assert attend.load(snapshot).path == first
    pooling = snapshot / "1_Pooling" / "config.json"
    (blobs / "new").write_text(pooling.read_text().replace("mean_tokens", "cls_token#"))
    pooling.unlink()
    pooling.symlink_to(os.path.relpath(blobs / "new", pooling.parent))
    with pytest.raises(attend.DataError, match="1_Pooling"):
        attend.load(snapshot)


def test_links_in_a_circle_end(cache: pathlib.Path, directory: pathlib.Path) -> None:
    (directory / "again").symlink_to(directory)
    (directory / "nothing").symlink_to("missing")
    assert attend.load(directory).path == attend.load(directory).path


def test_two_directories_of_one_name_are_two(
    cache: pathlib.Path, directory: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    other = shutil.copytree(directory, tmp_path / "other" / directory.name)
    assert attend.load(directory).path != attend.load(other).path
    assert len(imports_in(cache)) == 2


def test_several_processes_import_it_together(
    cache: pathlib.Path, directory: pathlib.Path
) -> None:
    program = "import sys, attend; print(attend.load(sys.argv[1]).encode('a dog').sum())"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(directory)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    printed = {run.communicate()[0] for run in runs}
    assert [run.returncode for run in runs] == [0] * 4
    assert len(printed) == 1 and len(imports_in(cache)) == 1


def test_a_pickled_model_names_its_directory(
    cache: pathlib.Path, directory: pathlib.Path
) -> None:
    pickled = pickle.dumps(attend.load(directory))
    shutil.rmtree(cache)
    assert isinstance(pickle.loads(pickled), attend.Embedder)


def test_the_cache_is_the_users(
    directory: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTEND_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert pathlib.Path(attend.load(directory).path).parent == tmp_path / "xdg" / "attend"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert pathlib.Path(attend.load(directory).path).parent == tmp_path / "home/.cache/attend"


def test_a_cache_that_cannot_be_written_is_named(
    directory: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTEND_CACHE", str(tmp_path / "file" / "attend"))
    with pytest.raises(attend.IoError, match="ATTEND_CACHE"):
        attend.load(directory)


def test_a_run_keeps_the_import_that_it_began_with(
    cache: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    foreign = shutil.copytree(FOREIGN / "marian", tmp_path / "marian")
    options = {"pairs": [("a dog", "ein hund")], "init_from": foreign, "lora_rank": 2}
    attend.train_translation(out=tmp_path / "run", max_steps=1, batch_tokens=512, **options)
    shutil.rmtree(cache)
    shutil.rmtree(foreign)
    assert isinstance(attend.load(tmp_path / "run").translate("a").text, str)
