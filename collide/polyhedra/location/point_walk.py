"""Points are classified by the tree of an index, in native code.

From the root a point goes down to the child on whose side of the plane it is. If it is on the plane, it goes to all three, and of the
leaves that it comes to one of least dimension is the answer. Why? Every plane cuts its region, which is convex: so a point in the closure
of a region and on its plane is in the closure of the three parts. Thus what is found has the point in its closure. And let x be what the
point is in: if x comes near it in a region, it does so in a part, the middle one if x lies in the plane, else above or below; so x is
found, and whatever else has the point in its closure has a greater dimension.
"""

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, array

from .tree import ABOVE, BELOW, NOTHING, ON, UNDECIDED, UNKNOWN, TreeMemory, side

# On the way: what comes next is to be looked at only if nothing was found; the answer that there is none yet.
MARK, ASKED = -5, -6


class PointWalkMemory(TreeMemory):
    start: int                                # the root
    given: int                                # points,
    asked: int                                # and those that wait for a sign
    point: Grid[float] = array("given", 3)
    root: Ints = array("given")               # where each begins, or `start` if it is negative
    radius: Floats = array("given")           # how far it may be off
    found: Ints = array("given")
    box: Floats = array(6)                    # outside is OUT
    outside: int
    trail: Ints = array("trail_room")       # nodes that wait, four for each on the way at most
    # signs that are known exactly: of each point, at so many nodes
    many: int
    known_node: Grid[int] = array("given", "many")
    known_sign: Grid[int] = array("given", "many")
    ask: Grid[int] = array("given", 2)        # point and node


@native
def walk(s: PointWalkMemory) -> int:
    """All points."""
    s.asked = 0
    for i in range(s.given):
        within = True
        for k in range(3):
            within = within & (s.box[k] <= s.point[i, k] <= s.box[3 + k])
        s.found[i] = descend(s, i) if within else s.outside
    return s.asked


@native
def descend(s: PointWalkMemory, i: int) -> int:
    x, y, z, r = s.point[i, 0], s.point[i, 1], s.point[i, 2], s.radius[i]
    # What begins elsewhere than at the root is on the border of the region there.
    top, best, clean = 1, NOTHING, s.root[i] < 0
    s.trail[0] = s.root[i] if s.root[i] >= 0 else s.start
    while top > 0:
        top -= 1
        n = s.trail[top]
        if n == MARK:
            # It was in the region itself, so what lies in the plane is all there is.
            if best <= -8:
                return best
        elif n < 0:
            best = better(best, n)
        else:
            way = side(s, n, x, y, z, r)
            if way == UNDECIDED:
                way = known(s, i, n)
            if way == UNDECIDED:
                s.ask[s.asked, 0], s.ask[s.asked, 1] = i, n
                s.asked += 1
                return ASKED
            if way != 0:
                s.trail[top] = s.child[n, ABOVE if way > 0 else BELOW]
                top += 1
            else:
                s.trail[top], s.trail[top + 1] = s.child[n, BELOW], s.child[n, ABOVE]
                top += 2
                if clean:
                    s.trail[top] = MARK
                    top += 1
                    clean = False
                s.trail[top] = s.child[n, ON]
                top += 1
    return best


@native
def known(s: PointWalkMemory, i: int, n: int) -> int:
    for k in range(s.many):
        if s.known_node[i, k] == n:
            return s.known_sign[i, k]
    return UNDECIDED


@native
def better(a: int, b: int) -> int:
    """The one of two leaves that has less dimension: entities, then IN and OUT, then NOTHING. IN and OUT, to which a tolerance leads, is
    UNKNOWN.
    """
    if a <= -8 and b <= -8:
        return b if (-8 - b) % 4 < (-8 - a) % 4 else a
    if a <= -8 or b == NOTHING:
        return a
    if a == NOTHING or b <= -8:
        return b
    return a if a == b else UNKNOWN
