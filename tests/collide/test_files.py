"""Files that are put in place when they are complete."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from collide.files import replaced, write_text


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_is_new_or_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    for text in ("first", "second ü"):
        with replaced(path) as new:
            assert new.parent == tmp_path and new.suffix == ".html" and new != path
            new.write_text(text, encoding="utf-8")
            assert not path.exists() or path.read_text() == "first"
        assert path.read_text(encoding="utf-8") == text and names(tmp_path) == {"a.html"}


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), MemoryError(), ValueError("no")])
def test_what_fails_keeps_the_old_file(error: BaseException, tmp_path: Path) -> None:
    """After so many writes, as on a full disk, or at Ctrl-C."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(type(error)) as caught, replaced(path) as new, open(new, "w") as file:
        for _ in range(3):
            file.write("new" * 10_000)
        raise error
    assert path.read_text() == "old" and names(tmp_path) == {"a.txt"}
    assert not isinstance(error, OSError) or f"{os.fspath(path)!r} is not written: No space left on device" in str(caught.value)


def test_a_full_disk(tmp_path: Path) -> None:
    """/dev/full has no room."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="is not written: No space left on device"), replaced(path), open("/dev/full", "w") as file:
        file.write("new")
    assert path.read_text() == "old"
    with pytest.raises(OSError, match="'/dev/full' is not written: No space"):
        write_text("/dev/full", "new")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_new_file_that_cannot_be_put_in_place_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    path = tmp_path / "a.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="is not written, but its new content is in") as caught:
        write_text(path, "new")
    (other,) = names(tmp_path) - {"a.txt"}
    assert other in str(caught.value) and (tmp_path / other).read_text() == "new" and path.read_text() == "old"


def test_the_file_behind_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path, real = tmp_path / "a.txt", tmp_path / "other" / "b.txt"
    path.symlink_to(os.path.join("other", "b.txt"))
    for text in ("first", "second"):
        write_text(path, text)
        assert path.is_symlink() and real.read_text() == text and names(real.parent) == {"b.txt"}
    path.unlink()
    path.symlink_to("a.txt")
    with pytest.raises(OSError, match="is not written: "):
        write_text(path, "new")


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "first")
    (tmp_path / "b.txt").write_text("as others are")
    assert path.stat().st_mode == (tmp_path / "b.txt").stat().st_mode
    path.chmod(0o640)
    write_text(path, "second")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_where_no_file_can_be_written_a_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="is not written: there is no folder"):
        write_text(tmp_path / "nowhere" / "a.txt", "new")
    with pytest.raises(IsADirectoryError, match="is not written: it is a folder"):
        write_text(tmp_path, "new")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IsADirectoryError, match="'' is not written: it is a folder"):
        write_text("", "new")
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(NotADirectoryError, match="is not written"):
        write_text(tmp_path / "a.txt" / "b.txt", "new")
    write_text(tmp_path / ("n" * 200 + "." + "e" * 50), "new")
    if os.getuid():
        (tmp_path / "a.txt").chmod(0o444)
        with pytest.raises(PermissionError, match="do not let it be written to"):
            write_text(tmp_path / "a.txt", "new")


def test_pipes_and_open_files_are_written_to_themselves(tmp_path: Path) -> None:
    """What a program prints before and after stays, where its output goes to a file."""
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join(10)
    assert read == ["through"] and stat.S_ISFIFO(pipe.stat().st_mode)
    program = ("import sys; from collide.files import write_text; write_text('/dev/stdout', 'told'); sys.stdout.flush();"
               "write_text('/proc/self/fd/2', 'warned')")
    with open(tmp_path / "out", "w") as out, open(tmp_path / "err", "w") as err:
        subprocess.run([sys.executable, "-c", program], stdout=out, stderr=err, check=True, timeout=60)
        out.write("")
        assert os.fstat(out.fileno()).st_ino == os.stat(tmp_path / "out").st_ino
    assert (tmp_path / "out").read_text() == "told" and (tmp_path / "err").read_text() == "warned"
