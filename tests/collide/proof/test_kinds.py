"""Logs of meshes, patches, batches, ranges of parameters and surfaces that touch themselves; and what is false of each."""

import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import collide
from collide.proof.checker.problem import Case, LogProblem, Part
from generative import ParametricSurface, Rigid, t, u, v

from .made import BALL, CORNERS, FACES, MADE, PLATE, bowl, surface
from .referee import refuted

# Of each kind what its theorem says, and a change of the statement or the claim that makes it false.
KINDS: dict[str, tuple[str, tuple[str, str]]] = {
    "ranges of parameters": (r"for all rise from 1\.0 to 2\.0, p1_ from 1\.0 to 2\.0", (r"variable rise 1 2", "variable rise 0 2")),
    "clearances of ranges": (r"for all rise from 1\.0 to 2\.0", (r"variable rise 1 2", "variable rise 1/4 2")),
    "meshes": (r"their first contact lies in", (r"corner 0 0 1\n", "corner 0 0 3\n")),
    "bodies that are meshes": (r"their first contact lies in", (r"corner 0 0 1\n", "corner 0 0 3\n")),
    "straight meshes": (r"their first contact lies in", (r"none 0x1\.\w+p-1", "none 0x1.fp-1")),
    "a ball on a mesh": (r"their first contact lies in 1.61594270\d* <= t <= 1.61594271", (r"corner 0 0 1\n", "corner 0 0 2\n")),
    "a level on a mesh": (r"their first contact lies in 1.61594270\d* <= t <= 1.61594271", (r"corner 0 0 1\n", "corner 0 0 2\n")),
    "a distance of a mesh": (r"the least distance lies between 1.52546290\d* and 1.52546291", (r"corner 0 0 1\n", "corner 0 0 2\n")),
    "a sheet that bends": (r"different \(of one surface those with \(\+ u \(neg u1\)\) <= 0\) have no point in common",
                           (r"point u v ", "point (square u) v ")),
    "a tube that widens": (r"those with \(\+ u \(neg u1\)\) .*9/8", (r"(self.*)9/8", r"\g<1>2")),
    "patches": (r"their first contact lies in", (r"\(\* 0x1.999999999999ap-4 t\)", "(* 2 t)")),
    "rows of a batch": (r"their first contact lies in", (r"\(neg t\)", "(* -2 t)")),
}  # fmt: skip


def test_conditions_of_two_places_are_about_one_surface() -> None:
    """Of two surfaces u of the first need not be the lesser one; and where parameters have no order nothing is asked."""
    problem = LogProblem(["question contact", "variable t 0 1", *(surface(0, "u v t") + surface(0, "u v 1")).splitlines(),
                       "self (- u u1) (- (- u1 u) 1/2)"])
    pairs: list[tuple[Part, Part]] = [((0,), (0,)), ((0,), (1,)), ((1,), (1,))]
    assert [len(problem.system(Case(pair)).conditions) for pair in pairs] == [2, 0, 2] and [*problem.tuples()] == pairs


@pytest.mark.parametrize("kind", KINDS)
def test_logs_of_all_kinds(kind: str, tmp_path: Path) -> None:
    told, (old, new) = KINDS[kind]
    path = tmp_path / "a.proof"
    MADE[kind](path)
    found = collide.check(path, budget=60)
    assert found.accepted and re.search(told, found.theorem), str(found)
    text = path.read_text()
    path.write_text(false := re.sub(old, new, text))
    assert false != text and not collide.check(path, budget=60).accepted
    assert "meshes" in kind or (refuted(false.splitlines()) and not refuted(text.splitlines())), "the referee of altered logs tells"
    lines = text.splitlines()
    k = next(k for k, line in enumerate(lines) if line.startswith(("h", "s ", "n ", "m ", "c ", "d ")) and not line.startswith("surface"))
    path.write_text("\n".join([*lines[:k], *lines[k + 1:], ""]))
    assert not collide.check(path, budget=60).accepted


def test_meshes_of_many_triangles_are_halved(tmp_path: Path) -> None:
    """Closed forms: a ball of radius 1/2 whose centre falls from z = 3 on a hill with a flat top, which turns under it, is there at
    t = 5/2; and a torus, whose tube's circle is 2 above a corner of a mesh and 1/2 thick, is 3/2 from it.
    """
    path, (i, j) = tmp_path / "a.proof", np.meshgrid(range(8), range(8), indexing="ij")
    places = np.stack([(i - 4.0).ravel(), (j - 4.0).ravel(), -np.maximum((i - 4.0)**2 + (j - 4.0)**2 - 2, 0).ravel() / 16], axis=-1)
    k = (8 * i + j)[:-1, :-1].ravel()
    sheet = collide.Mesh(places, np.concatenate([np.stack([k, k + 8, k + 9], axis=-1), np.stack([k, k + 9, k + 1], axis=-1)]))
    collide.first_contact([sheet.moved(Rigid(rotation=[3, 0, 0, t])), BALL], (0, 3), log=path)
    text, found = path.read_text(), collide.check(path)
    ends = re.search(r"their first contact lies in (\S+) <= t <= (\S+)\.", found.theorem)
    assert ends and 2.5 - 1e-8 < float(ends[1]) < 2.5 < float(ends[2]) < 2.5 + 1e-9, str(found)
    assert text.count("\nh 0\n") > 10
    torus = ParametricSurface([(2 + sp.cos(v) / 2) * sp.cos(u), (2 + sp.cos(v) / 2) * sp.sin(u), 3 + sp.sin(v) / 2],
                              {u: (-sp.pi, sp.pi), v: (-sp.pi, sp.pi)})
    collide.distance(collide.Mesh(CORNERS + [2, 0, 0], FACES), torus, log=path)
    found = collide.check(path)
    ends = re.search(r"the least distance lies between (\S+) and (\S+)\.", found.theorem)
    assert ends and 1.5 - 1e-7 < float(ends[1]) < 1.5 <= float(ends[2]) < 1.5 + 1e-7, str(found)


def test_distances_of_meshes_from_each_other(tmp_path: Path) -> None:
    """The corner (0, 0, 1) is 2 below the same corner of one upside down; then 3/2, which is said to be more, is refused."""
    path, mesh = tmp_path / "a.proof", collide.Mesh(CORNERS, FACES)
    collide.clearance([mesh, mesh.moved(Rigid(rotation=[0, 1, 0, 0], translation=[0, 0, 4 - t / 2]))], (0, 1), log=path)
    found = collide.check(path)
    ends = re.search(r"the least distance lies between (\S+) and (\S+)\.", found.theorem)
    assert ends and 1.5 - 1e-7 < float(ends[1]) < 1.5 < float(ends[2]) < 1.5 + 1e-7, str(found)
    path.write_text(re.sub(r"none \S+", "none 0x1.8p+0", path.read_text()))
    assert not collide.check(path).accepted


def test_contacts_that_are_the_only_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    collide.first_contact([PLATE, bowl()], (0, 3), log=path)
    text, found = path.read_text(), collide.check(path)
    assert found.accepted and "exactly one point in common" in found.theorem
    k = text.index("one 0 1\n") + len("one 0 1\n")
    wide, near = text[k:].splitlines()[:2]
    path.write_text(text[:k] + f"{near}\n{wide}\nend\n")
    assert "lies in the first" in str(collide.check(path))
    path.write_text(text[:k] + f"{wide}\n{near.rpartition(' ')[0]} 7\nend\n")
    assert not collide.check(path).accepted
    path.write_text(text.replace("(neg t)", "(* 2 t)"))
    assert not collide.check(path).accepted


HEAD = "collide proof 3\nquestion contact\nvariable t 0 1\n"
ZEROS = "collide proof 3\nquestion zeros\nvariable x0 0 1\npiece 0\n"
STATED = "not stated by these lines in this order"
SHEET = HEAD + surface(0, "u v {z}") + "self (- u u1)\nnone 1\n"
TRIANGLE = ("piece {k}\nparameter x\nparameter y\nparameter z\npoint x y (+ z {z})\n"
            "corner 0 0 0\ncorner 1 0 0\ncorner 0 1 0\ntriangle 0 1 2\n")
TWO = HEAD + TRIANGLE.format(k=0, z="0") + TRIANGLE.format(k=1, z="(- 1 t)")
FAR = "collide proof 3\nquestion distance\nvariable t 0 {end}\n" + surface(0, "u v 0") + surface(1, "u v {z}") + "none 1\nn 1\nend\n"
LEVEL = "piece 1\nparameter x -1 1\nparameter y {y}\nparameter z -1 1\npoint {at}\nequation z\n"
FALSE = {
    "a sheet that lies on itself": (SHEET.format(z="0").replace("point u", "point (square u)").replace("u 0 1", "u -1 1") +
                                    "d 1 0 0 0 1 0\nend\n", "does not show"),
    "a fold between two places": (SHEET.format(z="0").replace("point u", "point (square u)").replace("u 0 1", "u -1 1") +
                                  "s 0 -0x1p-1\nd -1 0 0 0 1 0\nd 1 0 0 0 1 0\nend\n", "no solution in [-1.0, -0.5]"),
    "a step of one piece about two": (HEAD + surface(0, "u v 0") + surface(1, "u v 0") + "none 1\nd 1 0 0 0 1 0\nend\n",
                                      "two places of one piece"),
    "a step of one piece about two of one body": (SHEET.format(z="0").replace("self", surface(0, "u v 0") + "self") +
                                                  "d 1 0 0 0 1 0\n" * 2 + "end\n", "two places of one piece"),
    "a step of one piece of no body": (ZEROS + "equation 0\nnone\nd 1 0 0 0 1 0\nend\n", "a step was expected"),
    "a matrix too small": (SHEET.format(z="0") + "d 1 0 0 0 1\nend\n", "too few"),
    "the same place twice": (SHEET.format(z="0") + "d 1 0 0 0 1 0\nsome 0 0\nx 0 1 0 1 1/2 1/2 1/2 1/2 1/2 1/2 1\nend\n", "the same place"),
    "the only place that is twice the same": (SHEET.format(z="0").replace("none 1\n", "one 0 0\n") +
                                              "x 0 1 0 1 1/2 1/2 1/2 1/2 1/2 1/2 1\n" * 2 + "end\n", "the same place"),
    "touching triangles": (TWO + "none 1\nn 0 0 -1 0 0\nend\n", "does not show"),
    "a triangle that is halved": (TWO + "none 1\nh 0\nend\n", "only several triangles"),
    "a third triangle that is halved": (TWO + "none 1\nh 2\nend\n", "only several triangles"),
    "a point of the whole box": (TWO.replace("triangle 0 1 2\n", "triangle 0 1 2\ntriangle 0 1 2\n", 1) +
                                 "some 0:0:2 1:0:1\nx 0 1 0 1 0 0 0 0 0 0 0 0 0\nend\n", "single triangle"),
    "a point beside a triangle": (TWO + "some 0:0:1 1:0:1\nx 3/4 3/4 1/4 1 3/4 1 1/4 1 1 1 "
                                  "1 0 0 0 1 0 0 0 1\nend\n", "does not show"),
    "a triangle that is not there": (TWO + "some 0:1:2 1:0:1\nx 0 0 0 0 0 0 0 0 1 1\nend\n", "no such triangles"),
    "a mesh as a whole": (TWO + "some 0 1:0:1\nx 0 0 0 0 0 0 0 0 1 1\nend\n", "no such piece"),
    "corners from nowhere": (TWO.replace("triangle 0 1 2", "triangle 0 1 7", 1) + "none 1\nend\n", "come before its triangles"),
    "a corner without parameters": (HEAD + "piece 0\ncorner 0 0 0\nnone 1\nend\n", STATED),
    "a corner and a range": (TWO.replace("parameter y\n", "parameter y 0 1\n", 1) + "none 1\nend\n", STATED),
    "corners of two kinds": (TWO.replace("corner 0 1 0\n", "corner 0 1\n", 1) + "none 1\nend\n", "values of all parameters"),
    "a motion by shares of sides": (TWO.replace("(+ z 0)", "(+ z u)") + "none 1\nn 0 0 -1 0 0\nend\n", "is no number"),
    "a motion by corners": (TWO.replace("(+ z 0)", "(+ z c0)") + "none 1\nn 0 0 -1 0 0\nend\n", "is no number"),
    "a parameter called e": (TWO.replace("variable t", "variable e 0 1\nvariable t") + "none 1\nend\n", "a name of its own"),
    "a parameter called t": (TWO.replace("variable t", "variable t 0 1\nvariable t") + "none 1\nend\n", "a name of its own"),
    "too many variables": ("collide proof 3\nquestion zeros\n" + "".join(f"variable x{k} 0 1\n" for k in range(70)) +
                           "piece 0\nequation 1\nnone\nn 1\nend\n", "64 variables"),
    "a range without end": (HEAD.replace("variable t", "variable p 0 (log -1)\nvariable t") + surface(0, "u v 0") +
                            surface(1, "u v (- 1 p)") + "none 1\nn 0 0 1\nend\n", "empty, or without end"),
    "triangles of one body": (TWO + "self (- u u1)\nnone 1\nd 1 0 0 0 1 0\nend\n", STATED),
    "a level twice": (HEAD + LEVEL.format(y="-1 1", at="x y z") + "self (- x x1)\nsome 0 0\nx 0 0 0 0 -1 1 0 0 1\nend\n", STATED),
    "a name of two places": (HEAD.replace("variable t", "variable u1 0 1\nvariable t") + surface(0, "u v u1") +
                             "self (- u u1)\nnone 1\nn 0 0 0 0\nend\n", "both places"),
    "a level of an empty range": (HEAD + surface(0, "u v 0", "-1 1 -1 1") + LEVEL.format(y="1 -1", at="x y z") + "none 1\n"
                                  "n 0 1 1 0 0 0 0\nend\n", "a range is empty"),
    "triangles on a level": (HEAD + surface(0, "u v 1/2") + TRIANGLE.format(k=1, z="0").replace("corner", "equation z\ncorner", 1) +
                             "none 1\nn 0\nend\n", STATED),
    "a level that is moved": (HEAD + surface(0, "u v 1", "-1 1 -1 1") + LEVEL.format(y="-1 1", at="x y (+ z 1)") + "none 1\n"
                              "n 1 0 0 0 0 0 0\nend\n", "too few or too many"),
    "a point beyond the ranges of a level": (HEAD + surface(0, "(* 2 u) v 0") + LEVEL.format(y="-1 1", at="x y z") + "some 0 1\n"
                                             "x 3/4 3/4 1/2 1/2 1/2 1/2 1\nend\n", "does not show"),
    "time that goes back": (FAR.format(z="(+ t 2)", end="-2"), "a range is empty"),
    "time until what is not known": (FAR.format(z="(- 2 t)", end="(+ 2 (sqrt (- (exp (log 2)) 2)))"), "without end"),
    "zeros later": (ZEROS + "equation 1\nnone\nl\nend\n", "a step was expected"),
    "a distance below nothing": (FAR.format(z="(+ t 2)", end="1").replace("none 1\nn 1", "some -3 0 1\nx 0 0 0 0 0 0 0 0 0 0"),
                                 "not negative"),
    "a distance from itself": (FAR.format(z="(+ t 2)", end="1").replace("none", "self (- u u1)\nnone"), STATED),
    "seven equations that depend on each other": (HEAD + surface(0, "u v 0") + "equation 0\n" * 4 + surface(1, "u v 0") + "one 0 1\n" +
                                                  "x 0 1 0 1 0 1 0 1 0 1\n" * 2 + "end\n", "more than 6 equations"),
}  # fmt: skip


def test_a_point_that_is_alone_by_its_equations_is_not_said_to_be_a_touch(tmp_path: Path) -> None:
    """A corner that crosses a plate: no tangents depend on each other there."""
    path = tmp_path / "a.proof"
    path.write_text(HEAD.replace("t 0 1", "t 0 2") + surface(0, "u v 0", "-1 1 -1 1") + surface(1, "u v (- 1 t)", "-1 1 -1 1") +
                    "one 0 1\n" +
                    "x -1/2 1/2 -1/2 1/2 0 0 0 0 1/2 3/2 1 0 0 0 1 0 0 0 1\n" * 2 + "end\n")
    found = collide.check(path)
    assert found.accepted and "exactly one point" in found.theorem and "dependent" not in found.theorem, str(found)


def test_a_common_point_of_places_of_one_body_is_said_to_be_one_of_different_places(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_text(HEAD + surface(0, "u v 0", "-1 1 -1 1") + surface(0, "u 1/4 v", "-1 1 -1 1") + "self (- u u1)\nsome 0 1\n"
                    "x -1/2 1/2 -1/2 1/2 0 0 -1/2 1/2 0 0 1 0 0 0 1 0 0 0 -1\nend\n")
    assert collide.check(path).theorem == ("Places of the surfaces that are different (of one surface those with (- u u1) <= 0) have a "
                                           "point in common at t = 0.0.")


def test_definitions_are_computed_once_for_all_ranges(tmp_path: Path) -> None:
    """Within the budget, which 60 times as much would exceed."""
    ends = "".join(f"let #{k} (* 1/3 #{k - 1})\n" for k in range(2, 20_000))
    ranges = "".join(f"variable p{k} 0 #19999\n" for k in range(60))
    path = tmp_path / "a.proof"
    path.write_text("collide proof 3\nquestion zeros\nlet #1 3\n" + ends + ranges + "piece 0\nequation 1\nnone\nn 1\nend\n")
    assert collide.check(path, budget=30).accepted


@pytest.mark.parametrize("name", FALSE)
def test_false_logs_of_all_kinds(name: str, tmp_path: Path) -> None:
    text, why = FALSE[name]
    path = tmp_path / "a.proof"
    path.write_text(text)
    found = collide.check(path, budget=30)
    assert found.status.name == "REJECTED" and why in str(found), str(found)
