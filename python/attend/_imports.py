"""Directories of other programs, imported once: the model files are kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from attend import _attend
from attend._errors import DataError, IoError

Path = str | os.PathLike[str]


def imported(path: Path) -> Path:
    """The model file of a directory of another program, or of an adapter with its base: from the
    cache, or written there. Any other path as it is."""
    base = _attend.base_of_adapter(path)
    if base is None and not _attend.is_foreign_model(path):
        return path
    sources = [_model_of(os.path.abspath(one)) for one in (path, base) if one is not None]
    folder, place = cache_folder(), _name_of(sources[0])
    for _ in range(3):
        state = _state_of(sources)
        cache = os.path.join(folder, f"{place}-{state}.safetensors")
        if os.path.exists(cache):
            return cache
        with _one_at_a_time(folder, place):
            if not os.path.exists(cache):
                if base is None:
                    _attend.import_model(path, cache, {})
                else:
                    _attend.merge_adapter(base, path, cache)
            if _state_of(sources) == state:
                _remove_others(folder, place, keep=cache)
                return cache
            os.unlink(cache)  # of some files before a change and some after it
    raise DataError(f"{os.fspath(path)}: expected files that stay as they are, got changes; try again")


def _model_of(path: str) -> str:
    """The model of the folder of a run, which holds more."""
    model = os.path.join(path, "model.safetensors")
    is_run = not _attend.is_foreign_model(path) and os.path.exists(model)
    return model if is_run else path


def cache_folder() -> str:
    """$ATTEND_CACHE, or the folder attend among the user's caches."""
    named = os.environ.get("ATTEND_CACHE")
    if named:
        return os.path.abspath(named)
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # as the specification says
        caches = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(caches, "attend")


def _name_of(path: str) -> str:
    """Of a directory: a readable one, which no other directory has."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", os.path.basename(path))[:60].strip(".")
    return f"{readable or 'model'}-{_digest(path)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _state_of(paths: list[str]) -> str:
    """What differs after any file was written, replaced, renamed or removed, and for another
    version of attend."""
    lines = [_attend.version()]
    for path in paths:
        lines += sorted(_states_of_files(path)) if os.path.isdir(path) else [_state_of_file(path)]
    return _digest("\n".join(lines))


def _states_of_files(folder: str) -> Iterator[str]:
    """Of all files below a folder but hidden ones, which are no part of a model. A link counts as
    what it leads to."""
    seen = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        one = os.stat(place)
        if (one.st_dev, one.st_ino) in seen:
            folders.clear()
            continue
        seen.add((one.st_dev, one.st_ino))
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                yield _state_of_file(os.path.join(place, name))


def _state_of_file(path: str) -> str:
    try:
        one = os.stat(path)
    except OSError:
        return f"{path!r} missing"  # such as a link to nothing
    # The time of the last change says so even if the others were set back, and the number if
    # another file was put in its place.
    return f"{path!r} {one.st_size} {one.st_mtime_ns} {one.st_ctime_ns} {one.st_ino}"


@contextmanager
def _one_at_a_time(folder: str, place: str) -> Iterator[None]:
    """Processes that want the same import wait for the first."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = open(os.path.join(folder, f"{place}.lock"), "w")
    except OSError as error:
        raise IoError(
            f"{folder}: expected a folder that can be written, for imported models: "
            f"{error.strerror}; the variable ATTEND_CACHE names another"
        ) from None
    with lock:
        with suppress(ImportError, OSError):  # a file system may have no locks
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _remove_others(folder: str, place: str, keep: str) -> None:
    """Earlier imports of the directory. Whoever has one open still has it."""
    for entry in os.scandir(folder):
        own = entry.name.startswith(f"{place}-") and entry.name.endswith(".safetensors")
        if own and entry.path != keep:
            with suppress(OSError):
                os.unlink(entry.path)
