"""Formulas of parts of bodies as members of families (`codegen.family`): parts of one shape share a kernel, and so do motions of one kind:
two hundred bodies of one shape need no kernel of their own.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.family import family
from codegen.from_sympy import convert
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.serialize import deserialize, serialize
from codegen.kernel import Kernel, compile
from codegen.walk import free_symbols, replaced
from generative import t
from generative.products import Product
from generative.resting import symbols_of

from .motions import entries_of
from .numbers import NONE, Numbers


class KernelMember(NamedTuple):
    """A kernel of a family of formulas, and the numbers (p, 2) of one of them."""

    kernel: Kernel
    numbers: np.ndarray

    def enclose(self, boxes: np.ndarray) -> np.ndarray:
        """(rows, variables, 2) -> (rows, outputs, 2)."""
        return enclose(self.kernel, boxes, self.numbers)


def enclose(kernel: Kernel, boxes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Values (rows, outputs, 2) over boxes, with numbers (p, 2) or (rows, p, 2) as parameters."""
    parameters = (numbers[..., 0], numbers[..., 1]) if numbers.shape[-2] else None
    lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1], parameters=parameters)
    return np.stack([lo, hi], axis=-1)


def member(outputs: Sequence[Expr], variables: int) -> KernelMember:
    made = family(outputs)
    return KernelMember(_family_kernel(serialize(made.outputs), variables, len(made.numbers)), made.numbers)


@functools.lru_cache(maxsize=4096)
def _family_kernel(graph: bytes, variables: int, parameters: int) -> Kernel:
    return Kernel(deserialize(graph), [f"x{k}" for k in range(variables)], [f"p{k}" for k in range(parameters)], quick=True)


@functools.lru_cache(maxsize=4096)
def formula_member(outputs: tuple[Any, ...], variables: tuple[Any, ...], numbers: Numbers) -> KernelMember:
    """A member of a family by formulas: of one with symbols for the numbers, or of the one that its own numbers make it a member of.

    The parts of a body share these: those of one face its formulas, all of them the motion; and paths do not change when a body moves.
    """
    if numbers.symbols and occurring(outputs, numbers.symbols):
        return KernelMember(_symbol_kernel(outputs, variables, numbers.symbols), numbers.intervals)
    pool = ExprPool()
    return member(convert(list(outputs), {s: pool.variable(k) for k, s in enumerate(variables)}, pool), len(variables))


@functools.lru_cache(maxsize=4096)
def motion_member(motion: Product, numbers: Numbers) -> KernelMember:
    """The entries of a product, whose kernel has the numbers of the factors as parameters, one after the other."""
    if numbers.symbols:
        own = numbers.only(motion.symbols)
        return KernelMember(_named_kernel(motion, tuple(own.symbols)), own.intervals)
    pool = ExprPool()
    time = pool.variable(0)
    return member(entries_of(motion, {t: time}, pool, time), 1)


@functools.lru_cache(maxsize=512)
def _named_kernel(motion: Product, symbols: tuple[Any, ...]) -> Kernel:
    """One kernel for all products that differ in numbers, or in how their symbols are named, alone."""
    names = dict(zip(symbols, symbols_of(len(symbols)), strict=True))
    return _motion_kernel(motion.changed(lambda e: replaced(e, names)), (*names.values(),))


@functools.lru_cache(maxsize=512)
def _motion_kernel(motion: Product, symbols: tuple[Any, ...]) -> Kernel:
    pool = ExprPool()
    time = pool.variable(0)
    known = {t: time, **{s: pool.parameter(k) for k, s in enumerate(symbols)}}
    return _family_kernel(serialize(entries_of(motion, known, pool, time)), 1, len(symbols))


@functools.lru_cache(maxsize=512)
def _symbol_kernel(outputs: tuple[Any, ...], variables: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    return compile(list(outputs), variables, symbols, quick=True)


def path_cells(path: Sequence[Any], symbols: Sequence[Any], grid: np.ndarray, numbers: Numbers = NONE) -> np.ndarray:
    """(cells, 2, 2): the two parameters of a path over the cells of a grid of its symbols."""
    rest = np.zeros((len(grid), 1, 2))
    return formula_member(tuple(path), (*symbols, t), numbers).enclose(np.concatenate([grid, rest], axis=1))


def fixed_kernel(variables: int, write: Callable[..., list[Expr]], parameters: int = 0) -> Kernel:
    """A kernel of any number of variables and parameters; `write` makes its outputs of the variables."""
    pool = ExprPool()
    return Kernel(write(*(pool.variable(k) for k in range(variables))), [f"x{k}" for k in range(variables)],
                  [f"p{k}" for k in range(parameters)], quick=True)


@functools.lru_cache(maxsize=4096)
def occurring(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> list[int]:
    """The places of the symbols that occur in formulas."""
    found = free_symbols(*formulas)
    return [k for k, s in enumerate(symbols) if s in found]
