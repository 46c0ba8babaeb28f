"""Backward rules of functions without an inverse: ends of arguments are cut off where the function has no value that is wanted.

Where z = f(x, y, ...), f is bounded over slices of the box: a slice next to the lower end of x on which the bounds of f miss the box of z
holds no solution. Slices are found by bisection between the doubles, as they are ordered, so that infinite boxes take no more steps than
others. A monotone function is undone to the last place by `EXACT` steps. What is cut off was proved to hold no solution; a slice whose
bounds do not say so stays (box consistency, Benhamou, McAllester and Van Hentenryck 1994).
"""

from collections.abc import Callable

from ..emit.lanes import Emit, Lanes, Module

Value = str
Interval = tuple[Value, Value]
EXACT, ROUGH = 64, 10
"""Numbers of steps: until nothing more is cut off, and for searches, which come again."""


def shaved(module: Module, name: str, emit: Emit, argument: int, steps: int) -> Callable[..., Interval]:
    """The emitter of the rule for one argument: of the box of z and then those of all arguments it makes the box of that argument.

    `name` and `emit`: of the library function that bounds f.
    """
    def rule(L: Lanes, zn: Value, zh: Value, *boxes: Value) -> Interval:
        n, h = boxes[2 * argument:2 * argument + 2]

        def missed(L: Lanes, lo: Value, hi: Value) -> str:
            """Whether f misses z on a slice."""
            part = [*boxes[:2 * argument], L.neg(lo), hi, *boxes[2 * argument + 2:]]
            fn, fh = module.call(L, name, emit, *part)
            return L.either(L.lt(fh, L.neg(zn)), L.gt(L.neg(fn), zh))

        lo = _cut(L, "low", L.neg(n), h, steps, missed)
        hi = _cut(L, "high", h, lo, steps, lambda L, a, b: missed(L, b, a))
        return L.neg(lo), hi

    return rule


def _cut(L: Lanes, name: str, kept: Value, far: Value, steps: int, missed: Callable[[Lanes, Value, Value], str]) -> Value:
    """How far from the end `kept` towards the other one slices can be cut off."""
    L.lines += [f"  br label %{name}.enter", f"{name}.enter:", f"  br label %{name}", f"{name}:",
                f"  %{name}.k = phi i64 [ 0, %{name}.enter ], [ %{name}.next, %{name} ]",
                f"  %{name}.kept = phi {L.vector} [ {kept}, %{name}.enter ], [ %{name}.closer, %{name} ]",
                f"  %{name}.far = phi {L.vector} [ {far}, %{name}.enter ], [ %{name}.nearer, %{name} ]"]
    middle = _between(L, f"%{name}.kept", f"%{name}.far")
    gone = missed(L, f"%{name}.kept", middle)
    for new, mask_first, old in (("closer", (middle, f"%{name}.kept"), gone), ("nearer", (f"%{name}.far", middle), gone)):
        a, b = mask_first
        L.lines.append(f"  %{name}.{new} = select {L.mask} {old}, {L.vector} {a}, {L.vector} {b}")
    L.lines += [f"  %{name}.next = add i64 %{name}.k, 1", f"  %{name}.more = icmp slt i64 %{name}.next, {steps}",
                f"  br i1 %{name}.more, label %{name}, label %{name}.done", f"{name}.done:"]
    return f"%{name}.closer"


def _between(L: Lanes, a: Value, b: Value) -> Value:
    """The double in the middle of those between two numbers, in their order."""
    halves, odd = [], []
    for x in (a, b):
        key = _ordered(L, L.to_bits(x))
        halves.append(L.emit(f"ashr {L.bits} {key}, {L.bits_const(1)}"))
        odd.append(key)
    both = L.bits_and(L.bits_and(*odd), L.bits_const(1))
    return L.from_bits(_ordered(L, L.bits_add(L.bits_add(*halves), both)))


def _ordered(L: Lanes, bits: str) -> str:
    """The encoding of a double as an integer of the same order, and back."""
    sign = L.emit(f"ashr {L.bits} {bits}, {L.bits_const(63)}")
    return L.bits_xor(bits, L.bits_and(sign, L.bits_const((1 << 63) - 1)))


