"""The process that compiles for another one (see `compiler`): requests come by standard input, machine code goes to standard output.

It is told the end of the other one by the end of its input, and ends then as soon as nothing is left to do, or some seconds later.
"""

import contextlib
import os
import pickle
import queue
import signal
import struct
import threading
import time
from typing import Any

# Seconds without a request after which it ends, and seconds for which it goes on when the other process has ended.
IDLE, LINGER = 60.0, 5.0
_NICE = 10
_LENGTH = struct.Struct("<Q")

ENDED = (OSError, EOFError)
"""The errors that `send` and `receive` raise where the other process has ended."""


def send(to: int, message: Any) -> None:
    """Writes a message to a pipe."""
    data = pickle.dumps(message)
    left = memoryview(_LENGTH.pack(len(data)) + data)
    while left:
        left = left[os.write(to, left):]


def receive(source: int) -> Any:
    """The next message of a pipe."""
    return pickle.loads(_read(source, *_LENGTH.unpack(_read(source, _LENGTH.size))))


def _read(source: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(source, min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def made(how: str, given: tuple[Any, ...]) -> bytes:
    """Machine code: of LLVM assembly, a "text", the "first" code or a "loop"; or of a serialized graph as the "block" of a kernel."""
    # Imported late: requests are read meanwhile.
    from .native import first_object_code, object_code, optimized_object_code

    if how in ("text", "first"):
        return object_code(*given) if how == "text" else first_object_code(*given)
    if how == "loop":
        text, quick = given
        return optimized_object_code(text, quick=quick)
    return object_code(_block(*given))


def _block(graph: bytes, kind: Any, bounded: bool) -> str:
    from ..emit.batch import add_block
    from ..emit.lower import lower
    from ..graph.serialize import deserialize

    module = lower(deserialize(graph), kind, bounded=bounded)
    add_block(module)
    return module.text()


def main() -> None:
    """Serve requests until none is left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing but messages may be written where these go.
    answers = os.dup(1)
    os.dup2(2, 1)
    requests = queue.SimpleQueue[Any]()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    with contextlib.suppress(*ENDED):
        while (request := _next(requests)) is not None:
            name, code = _answer(*request)
            with contextlib.suppress(OSError):
                send(answers, (name, code))
        send(answers, (None, None))
    os._exit(0)


def _next(requests: "queue.SimpleQueue[Any]") -> Any:
    with contextlib.suppress(queue.Empty):
        return requests.get(timeout=IDLE)


def _listen(requests: "queue.SimpleQueue[Any]") -> None:
    with contextlib.suppress(*ENDED):
        while True:
            requests.put(receive(0))
    requests.put(None)
    time.sleep(LINGER)
    os._exit(0)


def _give_way() -> None:
    """The other process is in no hurry, and comes before this one."""
    global _polite
    if not _polite and hasattr(os, "nice"):
        os.nice(_NICE)
        _polite = True
        # A session of its own, which keeps Ctrl-C away, is a group of its own to Linux's scheduler: niceness counts within that alone.
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as group:
            group.write(str(_NICE))


_polite = False


def _answer(place: str | None, source: bytes, polite: bool, name: str, how: str, given: tuple[Any, ...]) -> tuple[str, bytes | None]:
    """The code, which is kept in the cache at that place, too; None where it cannot be made, or not by the source the name stands for,
    which changed since the other process read it.
    """
    from . import cache

    if cache.fingerprint() != source:
        return name, None
    if polite:
        _give_way()
    os.environ.pop(cache.VARIABLE, None)
    if place is not None:
        os.environ[cache.VARIABLE] = place
    try:
        code = cache.kept(name, lambda: made(how, given))
    except Exception:
        return name, None
    return name, code
