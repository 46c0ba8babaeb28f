"""Logs that are written by hand, of theorems that are false, or of lines that state nothing: each is refused, and the reason says why."""

from pathlib import Path

import pytest

import collide

from .made import surface

HEAD = "collide proof 3\nquestion {}\n"
ZEROS, MINIMUM = HEAD.format("zeros") + "variable x0 0 1\n", HEAD.format("minimum") + "variable x0 0 1\n"
CONTACT, DISTANCE = HEAD.format("contact") + "variable t 0 1\n", HEAD.format("distance") + "variable t 0 1\n"
FLOOR, SHEET = surface(0, "u v 0"), surface(1, "u v (- 1/2 t)")
# Corners of a triangle, twice: x goes from 2 to 3 on it, and on the box of shares that would be from 2 to 3, from 4 to 5.
CORNERS = "corner 2 2\ncorner 3 2\ncorner 2 3\n"
FLAT = "piece 0\nparameter x\nparameter y\n"
MESH = "piece {}\nparameter x\nparameter y\nparameter z\npoint x y z\ncorner 0 0 0\ncorner 1 0 0\ncorner 0 1 0\ntriangle 0 1 2\n"
CROSSING = "none 1\nn 0 0 1\nend\n"
STATED, STEP, CLAIM = "not stated by these lines in this order", "a step was expected", "no claim about what the log states"
FORGED = {
    # Without a variable the last none of the sides of a box are all of them.
    "zeros of triangles": (HEAD.format("zeros") + FLAT + "equation (- x 5/2)\n" + CORNERS + "triangle 0 1 2\n" * 2 +
                           "none\nh 0\n" + "n 1 0\n" * 2 + "end\n", STATED),
    "a minimum over triangles": (HEAD.format("minimum") + FLAT + "point x\n" + CORNERS + "triangle 0 1 2\n" * 2 +
                                 "none 5/2\nh 0\n" + "n 1 1/8\n" * 2 + "end\n", STATED),
    "shares of a triangle as its parameters": (CONTACT + FLAT + "point x (* 0 y) (square x)\ncorner -1 0\ncorner 1 0\ncorner 0 1\n"
                                               "triangle 0 1 2\nself (- (+ x 2) u1)\nnone 1\nn 0 0 0 1 0 0\nend\n", STATED),
    "two triangles of a surface that look alike": (CONTACT + FLAT + "point x y 0\n" + CORNERS + "triangle 0 1 2\n" * 2 +
                                                   "self 1\nnone 1\nh 0\nh 1\n" + "n 0 0 0 0 0 1\n" * 4 + "end\n", STATED),
    "parameters of zeros": (ZEROS + "piece 0\nparameter p 0 1\nequation (- p 1/2)\nnone\nn 1\nend\n", STATED),
    "corners of zeros": (ZEROS + "piece 0\ncorner 0\nequation 1\nnone\nn 1\nend\n", STATED),
    "a point of zeros": (ZEROS + "piece 0\nequation 1\npoint x0\nnone\nn 1\nend\n", STATED),
    "zeros of nothing": (ZEROS + "piece 0\nbox 0 1\nnone\ni 0\nend\n", STATED),
    "two objectives": (MINIMUM + "piece 0\npoint x0\npoint 1\nnone 0\nn 1\nend\n", STATED),
    "a constraint after the objective": (MINIMUM + "piece 0\npoint x0\ncondition 1\nnone 0\nn 0 1\nend\n", STATED),
    "an exception of formulas": (ZEROS + "piece 0\nequation 1\nexcept 0 0\nnone\nn 1\nend\n", STATED),
    "two points of a piece": (CONTACT + FLOOR + "point u v 1\n" + SHEET + CROSSING, STATED),
    "a point before its parameters": (CONTACT + FLOOR.replace("parameter v 0 1\n", "") + "parameter v 0 1\n" + SHEET + CROSSING, STATED),
    "a range after pieces": (CONTACT + FLOOR + SHEET + "variable p 0 1\n" + CROSSING, STATED),
    "a range and none": (CONTACT + FLOOR.replace("v 0 1", "v") + SHEET + CROSSING, STATED),
    "a condition on a mesh": (CONTACT + MESH.format(0).replace("corner", "condition 1\ncorner", 1) + SHEET + CROSSING, STATED),
    "a mesh without triangles": (CONTACT + MESH.format(0).replace("triangle 0 1 2\n", "") + SHEET + CROSSING, STATED),
    "a mesh without corners": (CONTACT + "piece 0\nparameter x\npoint x 0 0\ntriangle 0 0 0\n" + SHEET + CROSSING, STATED),
    "triangles before corners": (CONTACT + MESH.format(0).replace("triangle 0 1 2\n", "").replace("corner", "triangle 0 0 0\ncorner", 1) +
                                 SHEET + CROSSING, STATED),
    "what is compared twice": (CONTACT + FLOOR + "self 1\nself (- u u1)\n" + CROSSING, STATED),
    "pieces after what is compared": (CONTACT + FLOOR + "self (- u u1)\n" + SHEET + CROSSING, STATED),
    "one surface, and a pair left out": (CONTACT + FLOOR + SHEET + "self (- u u1)\nexcept 0 1\n" + CROSSING, STATED),
    "one surface and a distance": (DISTANCE + FLOOR + SHEET + "self (- u u1)\nnone 1\nn 1\nend\n", STATED),
    "what is compared, said otherwise": (CONTACT + FLOOR + "self(+ 1 1) (- u u1)\nnone 1\nn 0 0 0 1 0\nend\n", STATED),
    "a curve compared with itself": (CONTACT + "piece 0\nparameter u -1 1\npoint (square u) 0 0\nself (- u u1)\n" + CROSSING, STATED),
    "a surface with an equation compared with itself": (CONTACT + FLOOR + "equation u\nself (- u u1)\n" + CROSSING, STATED),
    "no surface compared with itself": (CONTACT + "self (- u u1)\nnone 1\nend\n", STATED),
    "no time": (HEAD.format("contact") + FLOOR + SHEET + "none 1\nn 0 0 1\nend\n", STATED),
    "a time that is not the last": (CONTACT + "variable p 0 1\n" + FLOOR + SHEET + CROSSING, "the last variable is the time"),
    "a body that is not there": (CONTACT + FLOOR + SHEET + "except 1 2\n" + CROSSING, "nothing is claimed, the lower number first"),
    "a body and itself": (CONTACT + FLOOR + SHEET + "except 1 1\n" + CROSSING, "nothing is claimed, the lower number first"),
    "a statement after the claims": (ZEROS + "piece 0\nequation 1\nnone\nn 1\ncondition 1\nend\n", "a claim was expected"),
    "a question after another": (ZEROS + "question minimum\npiece 0\nequation 1\nnone\nn 1\nend\n", STATED),
    "a line that is hidden": (ZEROS + "piece 0\nequation 1\rcondition 1\nnone\nn 1 0\nend\n", "not printed"),
    "half of a triangle": (CONTACT + MESH.format(0) + SHEET + "none 1\nh 0\nend\n", "only several triangles"),
    "triangles of zeros": (ZEROS + "piece 0\nequation x0\nnone\nh 0\nend\n", STEP),
    "what is later of a distance": (DISTANCE + FLOOR + SHEET + "none 1\nl\nend\n", STEP),
    "what is later of a minimum": (MINIMUM + "piece 0\npoint x0\nnone 1\nl\nend\n", STEP),
    "a listed box of bodies": (CONTACT + FLOOR + SHEET + "none 1\ni 0\nend\n", STEP),
    "two places of a distance": (DISTANCE + FLOOR + SHEET + "none 1\nd 1 0 0 0 1 0\nend\n", STEP),
    "a box of bodies": (CONTACT + FLOOR + SHEET + "box 0 1 0 1 0 1 0 1 0 1\n" + CROSSING, "a box of zeros"),
    "a box that goes back": (ZEROS + "piece 0\nequation (- x0 1/2)\nbox 1 0\nnone\ni 0\nend\n", "lower end first"),
    "a box of too few sides": (ZEROS + "piece 0\nequation (- x0 1/2)\nbox 0\nnone\ni 0\nend\n", "a box of zeros has two ends"),
    "a negative number of a box": (ZEROS + "piece 0\nequation (- x0 1/2)\nbox 0 1\nnone\ni -1\nend\n", "no number of a body"),
    "a negative triangle": (CONTACT + MESH.format(0).replace("0 1 2", "0 1 -1") + SHEET + CROSSING, "no number of a body"),
    "the only minimum": (MINIMUM + "piece 0\npoint x0\none 0\nx 0 0\nx 0 0\nend\n", CLAIM),
    "the only distance": (DISTANCE + FLOOR + SHEET + "one 1 0 1\nx 0 0\nx 0 0\nend\n", CLAIM),
    "an earlier body second": (CONTACT + FLOOR + SHEET + "some 1 0\nx 1 1\nend\n", "no pieces of different bodies"),
    "a pair left out that meets": (CONTACT + FLOOR + SHEET + surface(2, "u v 3") + "except 0 1\nsome 0 1\nx 1 1\nend\n",
                                   "no pieces of different bodies"),
    "a division at an end": (ZEROS + "piece 0\nequation (- x0 1/2)\nnone\ns 0 0\nn 1\nn 1\nend\n", "does not divide"),
    "a division of nothing": (ZEROS + "piece 0\nequation (- x0 1/2)\nnone\ns 7\nn 1\nn 1\nend\n", "does not divide"),
    "a later box with numbers": (CONTACT + FLOOR + SHEET + "none 1/8\ns 4 1/4\nn 0 0 -1\nl 1\nend\n", "too few or too many"),
    "what is undefined": (MINIMUM + "piece 0\npoint (log (neg x0))\nnone 9\nn 1\nend\n", "does not show"),
    "a pole": (MINIMUM + "piece 0\npoint (inv (- x0 1/2))\nnone -9\nn 1\nend\n", "does not show"),
    "a jump": (MINIMUM + "piece 0\npoint (if (- x0 1/2) 1 0)\nnone 1/2\nn 1\nend\n", "does not show"),
}  # fmt: skip


def zeros(rows: str, claim: str, ends: str = "0 1") -> str:
    """Of one variable x, with rows and a claim in one line each."""
    return HEAD.format("zeros") + f"variable x {ends}\npiece 0\n" + lines(rows) + lines(claim) + "end\n"


def least(rows: str, claim: str, ends: str = "0 1") -> str:
    return zeros(rows, claim, ends).replace("question zeros", "question minimum")


def lines(text: str) -> str:
    return "".join(f"{line.strip()}\n" for line in text.split(";"))


HALF, SHOWN, PLANE = "equation (- x 1/2)", "does not show", surface(0, "u v 0", "-1 1 -1 1")
STEP_UP, BESIDE = "(if (- x 1/2) (- x 1/4) (- x 3/4))", surface(1, "u v 0", "1 2 0 1")
ROOF = surface(1, "u v (+ (abs u) (- 1/2 t))", "-1 1 -1 1")
TROUGH = surface(1, "u v (+ (square u) (- 1/2 t))", "-1 1 -1 1")
COMPARED = CONTACT + PLANE + surface(0, "u 1/4 v", "-1 1 -1 1") + "self {}\nsome 0 1\nx -1/2 1/2 -1/2 1/2 0 0 -1/2 1/2 0 0 {}\nend\n"
TWICE = CONTACT + PLANE + "self (- u u1)\nsome 0 0\nx {} {} 0 0 0 0 1 0 0 0 1 0 0 0 1\nend\n"
TALL = "0x1.8p+1000"
UNTRUE = {
    # Zeros that there are: at ends of domains and kinks, where boxes meet, where conditions are equalities, and beside doubles.
    "a zero of a root at its end": (zeros("equation (sqrt x)", "none; n 1"), SHOWN),
    "a zero of a root, by derivatives": (zeros("equation (sqrt x)", "none; c 1 0 0 1"), SHOWN),
    "a zero of a logarithm": (zeros("equation (log x)", "none; n -1"), SHOWN),
    "a zero of an inverse sine at its end": (zeros("equation (- (asin x) (* 1/2 pi))", "none; n -1"), SHOWN),
    "a zero in a corner": (zeros("equation x", "none; n 1"), SHOWN),
    "a zero in a box of one point": (zeros("equation x", "none; n 1", "0 0"), SHOWN),
    "a zero at minus nothing": (zeros("equation x", "none; n 1", "-0x0p+0 1"), SHOWN),
    "a zero where boxes meet": (zeros(HALF, "none; s 0 1/2; n -1; n 1"), SHOWN),
    "a zero beside a double": (zeros("equation (- (* 3 x) 1)", "none; s 0 0x1.5555555555555p-2; n -1; n 1"), SHOWN),
    "a zero that rounding hides": (zeros(f"equation (- (+ x {TALL}) {TALL})", "none; n 0x1p+900"), SHOWN),
    "a number that is nothing": (zeros("equation (sin pi)", "none; n 0x1p+1000"), SHOWN),
    "zeros on both sides of a kink": (zeros("equation (- (abs (- x 1/2)) 1/8)", "none; c 1 0 0 0"), SHOWN),
    "zeros of the greater one": (zeros("equation (max (- x 1/2) (- 1/4 x))", "none; c 1 0 0 1"), SHOWN),
    "zeros of the lesser one": (zeros("equation (min (- x 1/4) (- 1/2 x))", "none; c -1 0 0 1"), SHOWN),
    "zeros below a step": (zeros("equation (floor x)", "none; c 1 0 0 1"), SHOWN),
    "zeros where a choice is made": (zeros("equation (if (- x 1/2) 0 1)", "none; n 1"), SHOWN),
    "a zero on the edge of a condition": (zeros(HALF + "; condition (- x 1/2)", "none; n -1 1"), SHOWN),
    "a single point between conditions": (zeros("condition (- x 1/2); condition (- 1/2 x)", "none; n 1 1"), SHOWN),
    "zeros that are not squared away": (zeros("condition (- x 2)", "none; c 0 1000 0 1/2"), SHOWN),
    "a hole between boxes": (zeros(HALF, "box 0 3/8; box 5/8 1; none; s 0 3/8; i 0; s 0 5/8; n 1; i 1"), SHOWN),
    "an end before the last box": (zeros(HALF, "none; s 0 1/4; n -1"), STEP),
    # Zeros that there are not.
    "a zero of what jumps": (zeros("equation " + STEP_UP, "some 0; x 0 1 1"), SHOWN),
    "a zero between steps": (zeros("equation (- (floor (+ x 1/2)) 1/2)", "some 0; x 0 1 1"), SHOWN),
    "a zero of a pole": (zeros("equation (inv (- x 1/2))", "some 0; x 1/4 3/4 1"), SHOWN),
    "a zero where nothing is defined": (zeros("equation (* x (log x))", "some 0; x -1/8 1/8 -1/4", "-1 1"), SHOWN),
    "a zero where a condition is undefined": (zeros(HALF + "; condition (log (- x 1/2))", "some 0; x 3/8 5/8 1"), SHOWN),
    "a zero at a pole of a condition": (zeros(HALF + "; condition (- (atan (inv (- x 1/2))) 9)", "some 0; x 3/8 5/8 1"), SHOWN),
    "the lesser of what is undefined": (zeros(HALF + "; condition (min (log (neg x)) -1)", "some 0; x 3/8 5/8 1"), SHOWN),
    "nothing times what is undefined": (zeros(HALF + "; condition (* 0 (sqrt (neg x)))", "some 0; x 3/8 5/8 1"), SHOWN),
    "a zero beyond a condition": (zeros(HALF + "; condition (- x 1/4)", "some 0; x 1/8 5/8 1"), SHOWN),
    "a zero by a matrix of nothing": (zeros("equation (+ (square x) 1)", "some 0; x 0 1 0"), SHOWN),
    "one zero of two, by a matrix of nothing": (zeros("equation (- (abs (- x 1/2)) 1/4)", "one 0; x 0 1 0; x 1/8 3/8 -1"), SHOWN),
    "one zero of two beside a kink": (zeros("equation (- (abs (- x 1/2)) 1/4)", "one 0; x 0 1 -1; x 1/8 3/8 -1"), SHOWN),
    "a zero beyond a range that is no double": (zeros("equation (- x 0x1.921fb54442d19p+1)", "some 0; x 3 0x1.921fb54442d19p+1 1", "0 pi"),
                                                "does not lie in the domain"),
    # Minima.
    "the minimum itself": (least("point x", "none 0; n 1"), SHOWN),
    "a hill that is said to be flat": (least("point (neg (square (- x 1/2)))", "none -1/8; c 1 0 0 1/2"), SHOWN),
    "a valley that is said to be less bent": (least("point (square (- x 1/2))", "none 1/8; c 1 0 -2 0"), SHOWN),
    "a tangent beyond the box": (least("point (square (- x 1/2))", "none 1/8; c 1 0 0 3"), SHOWN),
    "a value where a constraint is broken": (least("condition (- 1/2 x); point x", "some 1/4 0; x 1/4 1/4"), SHOWN),
    "a value that part of a box has": (least("equation (- x 1/2); point x", "some 1/2 0; x 1/4 3/4 1"), SHOWN),
    "a value at a pole": (least("point (inv x)", "some 9 0; x 0 0"), SHOWN),
    # Bodies.
    "surfaces that share an edge": (CONTACT + FLOOR + BESIDE + "none 1\nn -1 0 0\nend\n", SHOWN),
    "a contact on the edge of a condition": (CONTACT + FLOOR + "condition (- u 1/2)\n" + surface(1, "u v 0", "1/2 1 0 1") +
                                             "none 1\nn -1 0 0 1\nend\n", SHOWN),
    "a contact where a kink is lowest": (CONTACT + PLANE + ROOF + "none 1\nc 0 0 -1 0 0 0 0 1 0 0\nend\n", SHOWN),
    "a surface that is undefined at its edge": (CONTACT + FLOOR + surface(1, "u v (log u)") + "none 1\nn 0 0 1\nend\n", SHOWN),
    "a contact for some values of a parameter": (CONTACT.replace("variable", "variable p 0 1\nvariable") + FLOOR + surface(1, "u v p") +
                                                 "none 1\ns 4\nn 0 0 -1\nn 0 0 -1\nend\n", SHOWN),
    "a contact at another time": (CONTACT + FLOOR + SHEET + "some 0 1\nx 0 1 0 1 1/2 1/2 1/2 1/2 1/4 1/4 1 0 0 0 1 0 0 0 1\nend\n", SHOWN),
    "half of the triangles": (CONTACT + MESH.format(0) + "triangle 0 1 2\n" + SHEET + "none 1/4\nh 0\ns 4 3/8\nn 0 0 -1 0\nl\nend\n",
                              STEP),
    "the distance itself": (DISTANCE + FLOOR + surface(1, "u v 1") + "none 1\nn 1\nend\n", SHOWN),
    "a distance that is less": (DISTANCE + FLOOR + surface(1, "u v 1") +
                                "some 0x1.fffffffffffffp-1 0 1\nx 0 0 0 0 0 0 0 0 0 0\nend\n", SHOWN),
    "a distance at all times of a box": (DISTANCE + FLOOR + SHEET + "some 0 0 1\nx 0 0 0 0 0 0 0 0 0 1\nend\n", SHOWN),
    "a curve of contacts that is said to be a point": (CONTACT + PLANE + TROUGH + "one 0 1\n" +
                                                       f"x{' -1/2 1/2' * 4} 1/4 3/4{' 0' * 25}\n" * 2 + "end\n", SHOWN),
    "places that share a point": (TWICE.format("-1/2 1/2 0 0", "1/2 1 "), "the same place"),
    # What is compared is known, and so are numbers.
    "what is compared, of no place": (COMPARED.format("nobody", "1 0 0 0 1 0 0 0 -1"), "a name that stands for no place"),
    "what is compared, of a third place": (COMPARED.format("(- u u2)", "1 0 0 0 1 0 0 0 -1"), "a name that stands for no place"),
    "a name of both places in a claim about others": (COMPARED.format("(- u u1)", "1/2 1/2 1 0 0 0 1 0 0 0 -1").replace(
        "variable", "variable u1 0 1\nvariable"), "both places"),
    **{f"the number {text}": (zeros(f"equation (- x {text})", "none; n 1"), "is no number")
       for text in ("+3", "-3/", "3/-1", "3/+1", "1/00", "/2", "--2", "1e1", "0x1p+1023", "0x1p0", "-inf", "\u0663", "1_0", "0x2p+0")},
    **{f"the time {text}": (CONTACT + FLOOR + SHEET + f"none {text}\nn 0 0 1\nend\n", why)
       for text, why in (("nan", "is no number"), ("inf", "is no number"), ("0x1p+1024", "is no number"), ("1/3", "is no double"),
                         ("-1", "no time within"), ("0", "no time within"), ("1 1", "no claim about"))},
    "an end and another": (zeros("equation 1", "none; n 1; end"), "follows the end"),
    "an end with a blank": (zeros("equation 1", "none; n 1").replace("end", "end "), "a claim was expected"),
    "an end of another system": (zeros("equation 1", "none; n 1").replace("end\n", "end\r\n"), "not printed"),
    "definitions from the second": (zeros("let #2 1; equation #2", "none; n 1"), "are numbered"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTRUE)
def test_untrue_logs(name: str, tmp_path: Path) -> None:
    text, why = UNTRUE[name]
    path = tmp_path / "a.proof"
    path.write_text(text, encoding="utf-8", newline="\n")
    found = collide.check(path, budget=30)
    assert found.status.name == "REJECTED" and why in str(found), str(found)


@pytest.mark.parametrize("name", FORGED)
def test_forged_logs(name: str, tmp_path: Path) -> None:
    text, why = FORGED[name]
    path = tmp_path / "a.proof"
    path.write_text(text, newline="\n")
    found = collide.check(path, budget=30)
    assert found.status.name == "REJECTED" and why in str(found), str(found)


def test_the_only_point_is_one_of_these_pieces(tmp_path: Path) -> None:
    """Another sheet of body 1 has many points in common with body 0, at the same places and times."""
    path = tmp_path / "a.proof"
    path.write_text(CONTACT.replace("0 1", "0 2") + surface(0, "u v 0", "-1 1 -1 1") + surface(1, "u v (- 1 t)", "-1 1 -1 1") +
                    surface(1, "u v 0", "-1 1 -1 1") + "one 0 1\n" +
                    "x -1/2 1/2 -1/2 1/2 0 0 0 0 1/2 3/2 1 0 0 0 1 0 0 0 1\n" * 2 + "end\n")
    found = collide.check(path)
    assert found.theorem.startswith("Places of piece 0 of body 0 and piece 1 of body 1 have exactly one point in common in"), str(found)


def test_derivatives_that_depend_are_those_of_variables_with_room(tmp_path: Path) -> None:
    """A sheet's edge touches a floor; the sheet rises from there, so its derivative across the edge is independent."""
    path = tmp_path / "a.proof"
    path.write_text(CONTACT.replace("0 1", "0 2") + PLANE + surface(1, "u v (+ (square u) v (- 1 t))", "-1 1 0 1") + "one 0 1\n" +
                    "x -1/2 1/2 -1/2 1/2 -1/2 1/2 0 0 1/4 7/4 1 0 0 -1/2 0 1 0 0 0 0 0 -1/2 0 0 1 0\n" * 2 + "end\n")
    found = collide.check(path)
    assert "by the first 2 variables of place that have room and by each other of these are linearly dependent" in found.theorem, str(found)


def test_each_of_the_conditions_of_two_places_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    path.write_text(CONTACT + FLOOR + "self (-  u u1) 1\nnone 1\nn 0 0 0 0 1\nend\n")
    assert "of one surface those with (- u u1) <= 0 and 1 <= 0) have no point in common" in collide.check(path).theorem


def test_claims_stand_for_themselves(tmp_path: Path) -> None:
    """Each names what it is about, also where no other one comes first; of parameters it is said for which values it holds."""
    path = tmp_path / "a.proof"
    path.write_text(MINIMUM + "piece 0\npoint x0\nsome 1 0\nx 1/2 1/2\nend\n")
    assert "The objective is at most 1.0 at a point of the domain that fulfils the constraints" in collide.check(path).theorem
    path.write_text(DISTANCE + FLOOR + SHEET + "some 1 0 1\nx 0 0 0 0 0 0 0 0 0 0\nend\n")
    assert collide.check(path).theorem == "Surfaces of bodies 0 and 1 have points at most 1.0 from each other at t = 0.0."
    sheet = surface(1, "u v (+ p (neg t))", "-1 1 -1 1")
    path.write_text(CONTACT.replace("variable", "variable p 1/4 1/2\nvariable") + surface(0, "u v 0", "-1 1 -1 1") + sheet +
                    "none 1/8\ns 5 0x1.2p-3\nn 0 0 -1\nl\nsome 0 1\n"
                    "x -1/2 1/2 -1/2 1/2 0 0 0 0 1/2 1/2 3/8 5/8 1 0 0 0 1 0 0 0 1\nend\n")
    found = collide.check(path)
    assert "at 0.375 <= t <= 0.625, for some p from 0.5 to 0.5" in found.theorem, str(found)
    assert "So the earliest of their first contacts lies in 0.125 <= t <= 0.625" in found.theorem
