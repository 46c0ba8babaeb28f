"""Addresses of machine code for callers outside Python: the C declarations of a kernel's entries, and capsules that carry them."""

import ctypes
from typing import Any

SIGNATURES = {
    "block": "void (double *, double *, double *)",
    "batch": "void (int64_t, double *, double *, double *, double *, int64_t, double *, double *, uint8_t *, int64_t *)",
}
"""Entry -> its type in C, which is also the name of its capsule."""

_NAMES = {entry: ctypes.create_string_buffer(text.encode()) for entry, text in SIGNATURES.items()}


def capsule(address: int, entry: str) -> Any:
    """A PyCapsule of an address that stays valid; its name, which is looked at by whoever opens it, is the type of the function."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return new(address, ctypes.addressof(_NAMES[entry]), None)
