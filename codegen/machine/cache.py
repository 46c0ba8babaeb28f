"""Machine code kept on disk between processes, privately.

Where: the directory named by the environment variable GENERATIVE_COLLISION_CACHE; else generative-collision in the
user's cache directory, and nowhere for a user without a home folder. An empty variable switches the cache off.
Entries hold code that will be run, so the directory is created for the user alone, and a directory or an entry that
belongs to somebody else, or that somebody else can write to, is not used. An entry carries the SHA-256 of its
content: a torn or foreign file is ignored. Writing goes to a temporary file that is renamed into place, so processes
do not disturb each other, and a write that fails leaves a working program.

How much: up to about a gigabyte, or as many megabytes as the environment variable GENERATIVE_COLLISION_CACHE_MEGABYTES
says. Beyond that the entries are removed that were not used for longest, to the hour. That is looked at now and then, each
time about a sixteenth of it was written; an entry removed under a process that is about to load it is compiled again there.
"""

import contextlib
import functools
import hashlib
import math
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE, LIMIT = "GENERATIVE_COLLISION_CACHE", "GENERATIVE_COLLISION_CACHE_MEGABYTES"
_MEGABYTES, _NEW = 1024, ".new-"
# The size is looked at each time this share of it was written, and entries are removed until so much is free.
_SHARE = 1.0 / 16.0
# Seconds until the use of an entry is noted again, and until a temporary file counts as left behind.
_HOUR, _DAY = 3600.0, 86400.0
_MAGIC = b"generative-collision object 1\n"
SOURCE = Path(__file__).parent.parent
"""The folder of `codegen`."""


def directory() -> Path | None:
    """The cache directory, made if need be; None when it is switched off or not private."""
    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    try:
        path = Path(named) if named else _user_cache() / "generative-collision"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _private(path.stat()) else None
    except OSError:
        return None


def _user_cache() -> Path:
    """The user's cache directory, an absolute path; FileNotFoundError for a user without a home folder, which is not made here."""
    variable, below = {"darwin": ("", ("Library", "Caches")),
                       "win32": ("LOCALAPPDATA", ("AppData", "Local"))}.get(sys.platform, ("XDG_CACHE_HOME", (".cache",)))
    named, home = os.environ.get(variable, ""), os.path.expanduser("~")
    if os.path.isabs(named):
        return Path(named)
    if not (os.path.isabs(home) and os.path.isdir(home)):
        raise FileNotFoundError(f"the home folder {home} does not exist")
    return Path(home, *below)


def _private(status: os.stat_result) -> bool:
    """Owned by this user and writable by nobody else (where the system knows owners)."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def fingerprint() -> bytes:
    """Digest of the source of all of `codegen`: code emitted by another version is never used."""
    digest = hashlib.sha256()
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.npz")]):
        digest.update(path.relative_to(SOURCE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def key(*parts: bytes | str) -> str:
    """A file name from everything the machine code depends on."""
    digest = hashlib.sha256(fingerprint())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """The stored object code, or None when there is none that can be trusted."""
    path = directory()
    if path is None:
        return None
    try:
        with open(path / f"{name}.o", "rb") as file:
            status = os.fstat(file.fileno())
            if not _private(status):
                return None
            content = file.read()
            if time.time() - status.st_mtime > _HOUR:
                _touch(file.name)
    except OSError:
        return None
    head = len(_MAGIC) + 32
    magic, digest, code = content[:len(_MAGIC)], content[len(_MAGIC):head], content[head:]
    return code if magic == _MAGIC and hashlib.sha256(name.encode() + code).digest() == digest else None


def _touch(path: str) -> None:
    """Note that an entry is used."""
    with contextlib.suppress(OSError):
        os.utime(path)


def kept(name: str, build: Callable[[], bytes]) -> bytes:
    """The stored object code; where there is none, what `build` makes, which is stored."""
    code = load(name)
    if code is None:
        code = build()
        store(name, code)
    return code


def stored(name: str) -> bool:
    """Whether there is an entry of this name, trusted or not."""
    path = directory()
    return path is not None and os.path.exists(path / f"{name}.o")


def store(name: str, code: bytes) -> None:
    """Keep object code; silently does nothing where it cannot."""
    path, limit = directory(), _limit()
    if path is None:
        return
    with contextlib.suppress(OSError):
        if _chosen(name, len(code) / (_SHARE * limit)):
            trim(path, (1.0 - _SHARE) * limit)
        handle, temporary = tempfile.mkstemp(dir=path, prefix=_NEW)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(name.encode() + code).digest() + code)
            os.replace(temporary, path / f"{name}.o")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _limit() -> float:
    """The most bytes to keep."""
    named = os.environ.get(LIMIT, "")
    try:
        megabytes = float(named or _MEGABYTES)
    except ValueError:
        megabytes = math.nan
    if not megabytes > 0:
        raise ValueError(f"the environment variable {LIMIT} must be a positive number of megabytes, got {named!r}")
    return megabytes * 2**20


def _chosen(name: str, chance: float) -> bool:
    """True for this share of all names, which are digests: without counting, and whatever process writes."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:13], 16) < chance * 16**13


def trim(path: Path, most: float) -> None:
    """Removes entries until there are at most so many bytes, those that were not used for longest first, and what writes left behind."""
    entries, now = [], time.time()
    with os.scandir(path) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".o"):
                    entries.append((status.st_mtime, status.st_size, entry.path))
                elif entry.name.startswith(_NEW) and now - status.st_mtime > _DAY:
                    os.unlink(entry.path)
    total = sum(size for _, size, _ in entries)
    for _, size, place in sorted(entries):
        if total <= most:
            return
        with contextlib.suppress(OSError):
            os.unlink(place)
        total -= size
