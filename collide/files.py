"""Files that are written beside what is there, and put in its place when they are complete: a full disk or Ctrl-C loses nothing."""

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

# How much of the old name and of its ending a new one has, at most.
_NAME, _ENDING = 40, 16


def write_text(path: str | PathLike[str], text: str, encoding: str = "utf-8") -> None:
    """Make this text the content of a file; see `replaced`."""
    with replaced(path) as new:
        new.write_text(text, encoding=encoding)


def remove(path: str | PathLike[str]) -> None:
    """Remove a regular file, if there is one; of a link, the file it leads to. Pipes and open files such as /dev/stdout stay."""
    if os.path.isfile(path) and not _numbered(path):
        os.remove(os.path.realpath(path))


@contextlib.contextmanager
def replaced(path: str | PathLike[str]) -> Iterator[Path]:
    """The path of a new file, to be written in the block, which becomes the file `path` when the block ends.

    Parameters
    ----------
    path : str or path
        A file, which is there or not. The file that a link leads to is replaced, not the link. What is no regular file, such as a pipe or
        /dev/stdout, is yielded itself.

    Raises
    ------
    OSError
        In one sentence that names the file, where it cannot be written: its folder does not exist, it is a folder, it must not be written
        to, or the disk is full.

    Notes
    -----
    Until the block has ended, `path` is what it was before. The new file is in the same folder, and has the permissions of the old one. If
    an error or Ctrl-C ends the block, it is removed. If it is complete, but cannot be put in its place, it stays, and the error names it.
    Another hard link to the old file keeps the old content.
    """
    with _told(path):
        old = _status(path)
        direct = old is not None and (not stat.S_ISREG(old.st_mode) or _numbered(path))
        target = Path(os.path.realpath(path))
        new = Path(path) if direct else _made(target, old)
    try:
        with _told(path):
            yield new
    except BaseException:
        if not direct:
            with contextlib.suppress(OSError):
                os.unlink(new)
        raise
    if not direct:
        with _told(path, f", but its new content is in {os.fspath(new)!r}"):
            os.replace(new, target)


@contextlib.contextmanager
def _told(path: str | PathLike[str], more: str = "") -> Iterator[None]:
    """Errors of files say in a sentence which one is not written."""
    try:
        yield
    except OSError as error:
        message = f"{os.fspath(path)!r} is not written{more}: {error.strerror or error}"
        raise (OSError(message) if error.errno is None else OSError(error.errno, message)) from error


def _status(path: str | PathLike[str]) -> os.stat_result | None:
    """The status of a file that is there."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, "its permissions do not let it be written to")
    return found


def _numbered(path: str | PathLike[str]) -> bool:
    """Whether a path is an open file of a process, as /dev/stdout is. Others write to that, too."""
    name = os.fspath(path)
    while True:
        folder = os.path.realpath(os.path.dirname(os.path.abspath(name)))
        if re.fullmatch(r"/proc/\d+/(task/\d+/)?fd", folder):
            return True
        if not os.path.islink(name):
            return False
        name = os.path.join(folder, os.readlink(name))


def _made(target: Path, old: os.stat_result | None) -> Path:
    """A new file beside another one, with the permissions of the `old` one, if there is one, and its owner, where that is allowed."""
    if target.is_dir():  # that of an empty path is the working folder
        raise OSError(errno.EISDIR, "it is a folder")
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, f"there is no folder {os.fspath(target.parent)!r}")
    new = target.with_name(f".{target.name[:_NAME]}.{secrets.token_hex(8)}{target.suffix[-_ENDING:]}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    if old is not None:
        with contextlib.suppress(OSError):
            os.chown(new, old.st_uid, old.st_gid)
        os.chmod(new, stat.S_IMODE(old.st_mode))
    return new
