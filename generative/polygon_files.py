"""Mesh files of the formats OBJ, OFF, PLY and STL: their vertices as doubles, and their faces with the outlines that the file gives them.

Readers for pictures cut faces of more than three corners into fans, which are other faces where these are concave. What else a file says of
a vertex or a face (normals, colours, materials) is passed over. Each reader raises ValueError that says what is wrong, and in which line.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Faces = list[tuple[int, ...]]
# Free-form curves and surfaces of OBJ files.
_FREE_FORM = {"cstype", "curv", "curv2", "surf", "bzp", "bsp", "cdc", "cdp"}


def read_obj(data: bytes) -> tuple[np.ndarray, Faces]:
    """Wavefront OBJ: statements `v` and `f`; indices count from 1, or backwards from the last vertex so far if they are negative."""
    places: list[list[float]] = []
    faces: Faces = []
    for line, words in _lines(data, continued=True):
        if words[0] == "v":
            places.append(_floats(words[1:4], line))
        elif words[0] in ("f", "fo"):
            faces.append(tuple(_index(word.partition("/")[0], len(places), line) for word in words[1:]))
        elif words[0] in _FREE_FORM:
            raise ValueError(f"line {line} is of a free-form curve or surface ({words[0]}), which is no polygon")
    return np.array(places, float).reshape(-1, 3), faces


def _index(word: str, count: int, line: int) -> int:
    number = _integer(word, line)
    if number == 0:
        raise ValueError(f"line {line} names vertex 0; vertices count from 1")
    return number - 1 if number > 0 else _backwards(count + number, line)


def _backwards(number: int, line: int) -> int:
    if number < 0:
        raise ValueError(f"line {line} counts back to before the first vertex")
    return number


def read_off(data: bytes) -> tuple[np.ndarray, Faces]:
    """Object File Format, as text of three dimensions: a keyword, which may be left out, numbers of vertices, faces and edges, then a line
    for each. Of a vertex the first three numbers are its place; after the corners of a face its colour may follow.
    """
    lines = list(_lines(data))
    if lines and (word := lines[0][1][0]).upper().endswith("OFF"):
        if "4" in word or "n" in word or "BINARY" in (w.upper() for w in lines[0][1][1:]):
            raise ValueError(f"it is an OFF file of the kind {' '.join(lines[0][1])}; text of three dimensions is read, OFF, COFF or NOFF")
        lines[0] = lines[0][0], lines[0][1][1:]
        lines = lines if lines[0][1] else lines[1:]
    if not lines or len(lines[0][1]) < 2:
        raise ValueError("it does not begin with the keyword OFF and the numbers of vertices and faces")
    vertices, faces = (_integer(word, lines[0][0]) for word in lines[0][1][:2])
    if not 0 <= vertices <= len(lines) or not 0 <= faces <= len(lines) or len(lines) <= vertices + faces:
        raise ValueError(f"it promises {vertices} vertices and {faces} faces, a line each, but has {len(lines) - 1} lines for them")
    places = [_floats(words[:3], line) for line, words in lines[1:1 + vertices]]
    return np.array(places, float).reshape(-1, 3), [_counted(words, line) for line, words in lines[1 + vertices:1 + vertices + faces]]


def _counted(words: Sequence[str], line: int) -> tuple[int, ...]:
    count = _integer(words[0], line)
    if not 0 <= count < len(words):
        raise ValueError(f"line {line} promises a face of {count} corners, but has {len(words) - 1} numbers")
    return tuple(_integer(word, line) for word in words[1:1 + count])


def read_stl(data: bytes) -> tuple[np.ndarray, Faces]:
    """STL, binary if its length is that of so many triangles as it says, else text. Corners at one place are vertices of their own here."""
    count = struct.unpack("<I", data[80:84])[0] if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        rows = np.frombuffer(data, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("colour", "<u2")], count, 84)
        places = rows["corners"].reshape(-1, 3).astype(float)
    else:
        lines = list(_lines(data))
        if not lines or lines[0][1][0].lower() != "solid":
            raise ValueError(f"it does not begin with the word solid, as text would, and is no binary file of {max(count, 0):,} triangles")
        if lines[-1][1][0].lower() != "endsolid":
            raise ValueError("it is truncated: its last line does not begin with endsolid")
        places = np.array([_floats(words[1:4], line) for line, words in lines if words[0].lower() == "vertex"]).reshape(-1, 3)
        if len(places) != 3 * sum(words[0].lower() == "facet" for _, words in lines):
            raise ValueError("it has facets of other numbers of vertices than three")
    return places, [(k, k + 1, k + 2) for k in range(0, len(places), 3)]


# -- PLY --------------------------------------------------------------------------------------------------------------------

# As `struct` calls them.
_TYPES = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "float": "f", "double": "d",
          "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "float32": "f", "float64": "d"}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_TRUNCATED = "it is truncated: it holds less than its header promises"
# Names and types of properties, those of lists with the type of their length.
Properties = list[tuple[str, str, str | None]]


def read_ply(data: bytes) -> tuple[np.ndarray, Faces]:
    """Stanford PLY, text or binary of either byte order: x, y and z of the element `vertex`, and the list of the element `face` that is
    called vertex_indices or vertex_index.
    """
    order, elements, body = _header(data)
    words = iter(body.split())
    found: dict[str, list[dict[str, Any]]] = {}
    offset = 0
    for name, count, properties in elements:
        if count > len(body):
            raise ValueError(f"it promises {count:,} elements {name}, but is no longer than {len(body):,} bytes")
        if order == "":
            found[name] = [_row_of_words(words, properties) for _ in range(count)]
        else:
            found[name], offset = _rows(body, offset, order, count, properties)
    if order == "" and next(words, None) is not None:
        raise ValueError("it holds more numbers than its header promises")
    if "tristrips" in found:
        raise ValueError("it holds strips of triangles; faces are read")
    if not all({"x", "y", "z"} <= row.keys() for row in found.get("vertex", [{}])):
        raise ValueError("it has no vertices with x, y and z")
    places = np.array([[row["x"], row["y"], row["z"]] for row in found["vertex"]], float).reshape(-1, 3)
    return places, [_listed(row) for row in found.get("face", [])]


def _listed(row: dict[str, Any]) -> tuple[int, ...]:
    found = row.get("vertex_indices", row.get("vertex_index"))
    if not isinstance(found, tuple):
        raise ValueError("its faces have no list vertex_indices")
    return tuple(map(int, found))


def _header(data: bytes) -> tuple[str, list[tuple[str, int, Properties]], bytes]:
    """The byte order, the elements, and what follows the header."""
    head, end, body = data.partition(b"end_header")
    lines = list(_lines(head, comment=""))
    if not end or not lines or lines[0][1] != ["ply"]:
        raise ValueError("it does not begin with a header from ply to end_header")
    order, elements = None, list[tuple[str, int, Properties]]()
    for line, words in lines[1:]:
        if words[0] == "format" and len(words) > 1:
            order = _ORDERS.get(words[1])
        elif words[0] == "element" and len(words) == 3:
            elements.append((words[1], _integer(words[2], line), []))
        elif words[0] == "property" and elements:
            elements[-1][2].append(_property(words[1:], line))
        elif words[0] not in ("comment", "obj_info"):
            raise ValueError(f"line {line} of its header is unknown: {' '.join(words)}")
    if order is None:
        raise ValueError(f"its header names no format of {', '.join(_ORDERS)}")
    return order, elements, body[2:] if body.startswith(b"\r\n") else body[1:]


def _property(words: Sequence[str], line: int) -> tuple[str, str, str | None]:
    kinds = [_TYPES.get(word) for word in words[:-1] if word != "list"]
    if len(kinds) != len(words) - 1 - ("list" in words[:1]) or None in kinds or len(kinds) != (2 if words[0] == "list" else 1):
        raise ValueError(f"line {line} of its header is no property of a known type: property {' '.join(words)}")
    return words[-1], str(kinds[-1]), kinds[0] if words[0] == "list" else None


def _row_of_words(words: Iterator[bytes], properties: Properties) -> dict[str, Any]:
    try:
        return {name: float(next(words)) if length is None else tuple(float(next(words)) for _ in range(int(next(words))))
                for name, _, length in properties}
    except (StopIteration, RuntimeError):
        raise ValueError(_TRUNCATED) from None


def _rows(body: bytes, offset: int, order: str, count: int, properties: Properties) -> tuple[list[dict[str, Any]], int]:
    """The rows of a binary element, and where the next one begins."""
    readers = [(name, _scalar(body, order + kind) if length is None else _list(body, order + length, order + kind))
               for name, kind, length in properties]
    rows = []
    for _ in range(count):
        row = {}
        for name, at in readers:
            row[name], offset = at(offset)
        rows.append(row)
    return rows, offset


def _scalar(body: bytes, kind: str) -> Callable[[int], tuple[Any, int]]:
    code = struct.Struct(kind)

    def at(offset: int) -> tuple[Any, int]:
        if offset + code.size > len(body):
            raise ValueError(_TRUNCATED)
        return code.unpack_from(body, offset)[0], offset + code.size

    return at


def _list(body: bytes, length: str, kind: str) -> Callable[[int], tuple[Any, int]]:
    counted, size = _scalar(body, length), struct.calcsize(kind)

    def at(offset: int) -> tuple[Any, int]:
        count, offset = counted(offset)
        count = int(count)
        if count < 0 or offset + count * size > len(body):
            raise ValueError(_TRUNCATED)
        return struct.unpack_from(f"{kind[0]}{count}{kind[1]}", body, offset), offset + count * size

    return at


# -- words ------------------------------------------------------------------------------------------------------------------


def _lines(data: bytes, continued: bool = False, comment: str = "#") -> Iterator[tuple[int, list[str]]]:
    """Lines that hold words, with their numbers, without comments; `continued`: where a line ends with a backslash, with the next one."""
    kept, first = "", 1
    for number, line in enumerate(data.decode("utf-8", "replace").lstrip("\ufeff").splitlines(), 1):
        text = line.partition(comment)[0] if comment else line
        first = first if kept else number
        if continued and text.rstrip().endswith("\\"):
            kept += text.rstrip()[:-1] + " "
            continue
        if words := (kept + text).split():
            yield first, words
        kept = ""
    if kept.split():
        yield first, kept.split()


def _floats(words: Sequence[str], line: int) -> list[float]:
    try:
        if len(words) == 3:
            return [float(word) for word in words]
    except ValueError:
        pass
    raise ValueError(f"line {line} has no three numbers for a vertex: {' '.join(words)}")


def _integer(word: str, line: int) -> int:
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"line {line} has no whole number where one is expected: {word}") from None
