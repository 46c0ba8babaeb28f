"""The cache of machine code: private, switched by a variable, deaf to corrupt and foreign entries, safe with many processes."""

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.machine import cache, linked, waited

x = sp.Symbol("x", real=True)
LO, HI = np.array([[0.5]]), np.array([[0.75]])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(path))
    return path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every real compilation."""
    done: list[int] = []
    real = waited.made

    def counted(how: str, given: tuple[Any, ...]) -> bytes:
        done.append(len(given[0]))
        return real(how, given)

    monkeypatch.setattr(waited, "made", counted)
    return done


def compute(monkeypatch: pytest.MonkeyPatch, number: int = 3) -> float:
    monkeypatch.setattr(linked, "_codes", {})
    lo, hi = codegen.compile([x**2 + number], [x]).interval(LO, HI)
    assert (lo[0, 0], hi[0, 0]) == (0.25 + number, 0.5625 + number)
    return float(lo[0, 0])


def test_entries_are_kept_and_used(place: Path, compilations: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compilations) == 1 and len(list(place.iterdir())) == 1
    compute(monkeypatch, 4)
    assert len(compilations) == 2 and len(list(place.glob("*.o"))) == 2


def test_the_directory_is_private(place: Path) -> None:
    old = os.umask(0)
    try:
        assert cache.directory() == place
        cache.store("a", b"code")
    finally:
        os.umask(old)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert not stat.S_IMODE((place / "a.o").stat().st_mode) & 0o077
    assert cache.load("a") == b"code"


def test_an_empty_variable_switches_it_off(tmp_path: Path, compilations: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.directory() is None and cache.load("a") is None
    cache.store("a", b"code")
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compilations) == 2 and not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="XDG directories")
def test_without_the_variable_it_is_the_users_cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "generative-collision"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.directory() == tmp_path / ".cache" / "generative-collision"


def no_entry(number: int) -> None:
    raise KeyError(f"getpwuid(): uid not found: {number}")


@pytest.mark.skipif(sys.platform != "linux", reason="XDG directories")
@pytest.mark.parametrize("variable", [None, "", "relative/cache"])
@pytest.mark.parametrize("home", [None, "relative", "{}/a file", "{}/nowhere", "{}/a file/below"])
def test_without_a_home_folder_there_is_no_cache(variable: str | None, home: str | None, tmp_path: Path, compilations: list[int],
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """None is made in the working folder, and no home folder is made."""
    import pwd

    (tmp_path / "a file").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", no_entry)
    for name, value in (("XDG_CACHE_HOME", variable), ("HOME", None if home is None else home.format(tmp_path)), (cache.VARIABLE, None)):
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    assert cache.directory() is None and cache.load("a") is None and not cache.stored("a")
    cache.store("a", b"code")
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compilations) == 2 and [p.name for p in tmp_path.iterdir()] == ["a file"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o500, 0o400, 0o000])
def test_a_folder_that_may_not_be_used_is_no_cache_and_no_error(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy of the process, which is an ordinary user's."""
    user = os.getuid() or 65534
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, user, -1)
        os.chmod(folder, mode)
        monkeypatch.setenv(cache.VARIABLE, folder)
        if (copy := os.fork()) == 0:
            with contextlib.suppress(BaseException):
                os.setuid(user)
                assert cache.directory() is not None
                cache.store("a", b"code")
                assert not cache.stored("a") and cache.load("a") is None
                os._exit(0)
            os._exit(1)
        assert os.waitpid(copy, 0)[1] == 0
        os.chmod(folder, 0o700)


def test_a_folder_that_is_deleted_meanwhile_is_made_again(place: Path, compilations: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    compute(monkeypatch)
    shutil.rmtree(place)
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compilations) == 2 and len(list(place.iterdir())) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_leaves_a_program_that_works(place: Path, compilations: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.fdopen

    def full(handle: int, mode: str) -> object:
        os.close(handle)
        return opened(os.open("/dev/full", os.O_WRONLY), mode)

    monkeypatch.setattr(cache.os, "fdopen", full)
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compilations) == 2 and list(place.iterdir()) == []


@pytest.mark.parametrize("damage", [
    lambda c: b"", lambda c: c[:10], lambda c: c[:-1], lambda c: c + b"x", lambda c: c[:60] + bytes([c[60] ^ 64]) + c[61:],
    lambda c: b"other magic bytes, same length" + c[30:], lambda c: c[:40] + bytes([c[40] ^ 1]) + c[41:], lambda c: os.urandom(len(c)),
])  # fmt: skip
def test_corrupt_entries_are_ignored_and_replaced(place: Path, damage: object, compilations: list[int],
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    compute(monkeypatch)
    (entry,) = place.glob("*.o")
    good = entry.read_bytes()
    entry.write_bytes(damage(good))  # type: ignore[operator]
    compute(monkeypatch)
    assert len(compilations) == 2 and cache.load(entry.stem) is not None


def test_an_entry_under_another_name_is_ignored(place: Path) -> None:
    cache.store("one", b"code of one")
    os.rename(place / "one.o", place / "two.o")
    assert cache.load("two") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners are known on POSIX only")
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_what_others_can_write_to_is_not_used(place: Path, mode: int, compilations: list[int],
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    compute(monkeypatch)
    (entry,) = place.iterdir()
    entry.chmod(mode)
    assert cache.load(entry.stem) is None
    entry.chmod(0o600)
    assert cache.load(entry.stem) is not None
    place.chmod(mode)
    assert cache.directory() is None and cache.load(entry.stem) is None
    cache.store("new", b"code")
    assert list(place.iterdir()) == [entry]
    compute(monkeypatch)
    assert len(compilations) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners are known on POSIX only")
def test_what_others_own_is_not_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("a", b"code")
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert cache.directory() is None and cache.load("a") is None


def test_failed_writes_leave_a_working_program(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as m:
        m.setattr(os, "replace", full)
        compute(m)
    assert list(place.iterdir()) == []
    with monkeypatch.context() as m:
        m.setattr(cache.tempfile, "mkstemp", full)
        compute(m)
    assert list(place.iterdir()) == []
    file = tmp_path / "file"
    file.write_text("not a directory")
    for named in (file, file / "below"):
        monkeypatch.setenv(cache.VARIABLE, str(named))
        assert cache.directory() is None
        compute(monkeypatch)


def test_an_interrupted_write_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.store("a", b"code")
    assert list(place.iterdir()) == []


def test_keys_depend_on_every_part() -> None:
    keys = [cache.key("a", "b"), cache.key("ab", ""), cache.key("a", "b", ""), cache.key("ab"), cache.key(b"a", b"b")]
    assert len(set(keys)) == 4 and keys[0] == keys[4]


def test_kernels_that_differ_have_different_names(place: Path) -> None:
    y = sp.Symbol("y", real=True)
    for kernel in (codegen.compile([x + y], [x, y]), codegen.compile([x + y], [y, x]), codegen.compile([x + y], [x], [y]),
                   codegen.compile([x + y], [x, y], cpu="x86-64-v3"), codegen.compile([x + y, x], [x, y]),
                   codegen.compile([x + y], [x, y], form="mean-value")):
        kernel._code("interval", "batch")
        kernel._code("points", "batch")
    kernel._code("interval", "block")
    kernel._code("decorated", "batch")
    # x + y with its variables exchanged is the same graph: addition is sorted.
    assert len(list(place.glob("*.o"))) == 12


# -- its size ---------------------------------------------------------------------------------------------------------------


def entries(place: Path) -> set[str]:
    return {f.stem for f in place.glob("*.o")}


def aged(place: Path, name: str, hours: float) -> None:
    """Make an entry that was last used so many hours ago."""
    then = time.time() - 3600 * hours
    os.utime(place / f"{name}.o", (then, then))


def test_what_was_not_used_for_longest_is_removed_first(place: Path) -> None:
    for k in range(8):
        cache.store(f"entry {k}", bytes(1000))
        aged(place, f"entry {k}", 100 - k)
    assert cache.load("entry 1") == bytes(1000)
    (place / ".new-torn").write_bytes(b"left behind")
    os.utime(place / ".new-torn", (0, 0))
    (place / ".new-now").write_bytes(b"being written")
    (place / "notes.txt").write_text("somebody's")
    cache.trim(place, 3500)
    assert entries(place) == {"entry 1", "entry 6", "entry 7"}
    assert {f.name for f in place.iterdir() if f.suffix != ".o"} == {".new-now", "notes.txt"}


def test_it_stays_below_its_limit(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, "0.25")
    for k in range(400):
        cache.store(cache.key(str(k)), os.urandom(3000))
        assert cache.load(cache.key(str(k))) is not None
    # 1.2 megabytes were written; it is looked at after about each 16 kilobytes of them.
    assert 2**16 < sum(f.stat().st_size for f in place.iterdir()) < 1.5 * 2**18


def test_a_use_is_noted_once_an_hour(place: Path) -> None:
    cache.store("a", b"code")
    for hours, noted in ((0.5, False), (2, True)):
        aged(place, "a", hours)
        before = (place / "a.o").stat().st_mtime
        assert cache.load("a") == b"code"
        assert ((place / "a.o").stat().st_mtime > before) is noted


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "much"])
def test_a_limit_that_is_none_is_refused(place: Path, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, limit)
    with pytest.raises(ValueError, match=f"MEGABYTES must be a positive number of megabytes, got '{limit}'"):
        cache.store("a", b"code")


_PROCESS = """
import sys, numpy as np, sympy as sp, codegen
x = sp.Symbol("x", real=True)
lo, hi = codegen.compile([sp.exp(x) * k for k in range(1, 4)], [x]).interval(np.full((9, 1), 0.5), np.full((9, 1), 0.75))
print(lo.tobytes().hex(), hi.tobytes().hex())
"""


_TRIMMED = """
import os
from codegen.machine import cache
for k in range(1500):
    name, code = cache.key(str(k % 100)), bytes(2000)
    assert cache.kept(name, lambda: code) == code
"""


def test_several_processes_remove_entries_that_others_use(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.LIMIT, "0.1")
    started = [subprocess.Popen([sys.executable, "-c", _TRIMMED], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [p.communicate(timeout=60)[1] for p in started] == [""] * 3
    assert 0 < len(entries(place)) < 100


def test_several_processes_compile_the_same_kernel_at_once(place: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", _PROCESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(3)]
    outputs = [p.communicate(timeout=60) for p in started]
    assert [error for _, error in outputs] == [""] * 3 and len({out for out, _ in outputs}) == 1
    assert [f.suffix for f in place.iterdir()] == [".o"]


def test_code_is_that_of_the_whole_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not only of the folder that the cache is in: what emits code is in another one."""
    assert Path(codegen.__file__).parent == cache.SOURCE
    digests = set()
    monkeypatch.setattr(cache, "SOURCE", tmp_path)
    for text in ("one", "two"):
        (tmp_path / "emit").mkdir(exist_ok=True)
        (tmp_path / "emit" / "lanes.py").write_text(text)
        digests.add(cache.fingerprint.__wrapped__())
    assert len(digests) == 2
