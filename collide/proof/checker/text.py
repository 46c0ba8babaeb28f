"""The text of a log: its lines, formulas in prefix form, and numbers. Nothing of it is ever executed."""

import re
import time
from fractions import Fraction
from typing import Any

LONGEST, DEEPEST, DIGITS = 1 << 20, 200, 1200
"""Characters of a line; how deep formulas nest, and how long a number is written."""
DOUBLE = re.compile(r"-?0x[01](\.[0-9a-f]{1,13})?p[+-]([0-9]{1,3}|10[01][0-9]|102[0-2])")
"""Hexadecimal numbers of at most 53 bits, the last of which is at least 2^-1074: these are doubles, and are read as they are."""
Formula = str | list[Any]


class Refused(ValueError):
    """The log is not accepted; the message says why, in a sentence."""


class Late(Exception):
    """The time is up."""


class Lines:
    """The lines of a log, counted, until the time is up."""

    def __init__(self, file: Any, end: float) -> None:
        self.file, self.end, self.number = file, end, 0

    def next(self) -> str:
        if time.perf_counter() > self.end:
            raise Late
        line = self.file.readline(LONGEST)
        self.number += 1
        if not line.endswith("\n"):
            raise Refused("the log ends before it is complete" if len(line) < LONGEST else f"a line is longer than {LONGEST} characters")
        if not line[:-1].isprintable():
            raise Refused("a line has characters that are not printed")
        return str(line[:-1])


def read(text: str) -> list[Formula]:
    """The formulas of a line."""
    top: list[Any] = []
    open_lists = [top]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            if len(open_lists) > DEEPEST:
                raise Refused(f"formulas nest deeper than {DEEPEST}")
            open_lists[-1].append([])
            open_lists.append(open_lists[-1][-1])
        elif token != ")":
            open_lists[-1].append(token)
        elif len(open_lists) == 1:
            raise Refused("a bracket is closed that was not opened")
        else:
            open_lists.pop()
    if len(open_lists) > 1:
        raise Refused("a bracket is not closed")
    return top


def number(text: str) -> Fraction:
    """An integer, a fraction p/q or a hexadecimal double, exact."""
    try:
        if len(text) > DIGITS or "_" in text:
            raise ValueError
        if DOUBLE.fullmatch(text):
            return Fraction(float.fromhex(text))
        p, _, q = text.partition("/")
        return Fraction(int(p), int(q or 1))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Refused(f"{text[:40]!r} is no number") from None


def double(text: str) -> float:
    """An integer, or a hexadecimal double; finite."""
    value = number(text)
    if value.denominator & (value.denominator - 1) or abs(value) > 2**1000 or Fraction(float(value)) != value:
        raise Refused(f"{text[:40]!r} is no double")
    return float(value)
