"""The text of a log: its lines, formulas in prefix form, and numbers. Nothing of it is ever executed."""

import re
import time
from fractions import Fraction
from typing import Any

LONGEST, DEEPEST, DIGITS = 1 << 18, 200, 1200
"""Characters of a line; how deep formulas nest, and how long a number is written."""
DOUBLE = re.compile(r"-?0x[01](\.[0-9a-f]{1,13})?p[+-]([0-9]{1,3}|10[01][0-9]|102[0-2])")
"""Hexadecimal numbers of at most 53 bits, the last of which is at least 2^-1074: these are doubles, and are read as they are."""
RATIONAL = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")
Formula = str | list[Any]


class Refused(ValueError):
    """The log is not accepted; the reason says why, in a sentence; `line`: where, if it is not where it is read."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


def require(follows: Any, reason: str) -> None:
    if not follows:
        raise Refused(reason)


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
        require(line.endswith("\n") or len(line) == LONGEST, "the log ends before it is complete")
        require(line.endswith("\n"), f"a line is longer than {LONGEST} characters")
        require(line[:-1].isprintable(), "a line has characters that are not printed")
        return str(line[:-1])


def read(text: str) -> list[Formula]:
    """The formulas of a line: atoms, or lists of an operator and formulas."""
    stack: list[list[Formula]] = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
            require(len(stack) <= DEEPEST, f"formulas nest deeper than {DEEPEST}")
        elif token == ")":
            done = stack.pop()
            require(stack, "a bracket is closed that was not opened")
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    require(len(stack) == 1, "a bracket is not closed")
    return stack[0]


def written(formula: Formula) -> str:
    """The text of a formula."""
    return formula if isinstance(formula, str) else f"({' '.join(map(written, formula))})"


def number(text: Formula) -> Fraction:
    """An integer, a fraction p/q or a hexadecimal double, exact."""
    digits = text if isinstance(text, str) and len(text) <= DIGITS else ""
    if DOUBLE.fullmatch(digits):
        return Fraction(float.fromhex(digits))
    require(RATIONAL.fullmatch(digits), f"{str(text)[:40]!r} is no number")
    return Fraction(digits)


def double(text: Formula) -> float:
    """An integer, or a hexadecimal double; finite."""
    value = number(text)
    require(abs(value) <= 2**1000 and Fraction(float(value)) == value, f"{str(text)[:40]!r} is no double")
    return float(value)


def count(text: Formula) -> int:
    """A number of a body, a piece, a variable or so: 0, 1, 2, ..."""
    digits = isinstance(text, str) and text.isdecimal() and len(text) < 7
    require(digits, f"{str(text)[:40]!r} is no number of a body, a piece or a variable")
    return int(str(text))
