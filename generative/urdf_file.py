"""URDF text, read strictly: what is not well formed, or names what is not there, is refused with its place, and nothing is left out."""

import copy
import io
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from codegen.given import shown

SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
# What may stand in a collision element and in a joint; and what of their parts is read, all of it.
_PARTS = {"collision": {"origin", "geometry", "verbose", "contact_coefficients", "material"}, "visual": {"origin", "geometry", "material"},
          "joint": {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"}}
_ATTRIBUTES = {"origin": {"xyz", "rpy"}, "axis": {"xyz"}, "mimic": {"joint", "multiplier", "offset"}, "box": {"size"},
               "cylinder": {"radius", "length"}, "sphere": {"radius"}, "capsule": {"radius", "length"}, "mesh": {"filename", "scale"}}
# How many numbers stand in an attribute; between those of shapes, readers take commas, too.
_NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {
    "origin": {"xyz": (3,), "rpy": (3,)}, "axis": {"xyz": (3,)}, "mimic": {"multiplier": (1,), "offset": (1,)},
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), (1,)), "box": {"size": (3,)},
    "cylinder": {"radius": (1,), "length": (1,)}, "sphere": {"radius": (1,)}, "capsule": {"radius": (1,), "length": (1,)},
    "mesh": {"scale": (1, 3)}}
_NEEDED = {"box": ["size"], "cylinder": ["radius", "length"], "sphere": ["radius"], "capsule": ["radius", "length"],
           "mesh": ["filename"], "mimic": ["joint"]}
# Elements in each other; a robot has six.
_DEEPEST = 50


def collision_model(source: Path, shown_as: str = "collision") -> ET.Element:
    """The links of a URDF file with their collision elements, and its joints, as XML without anything else. With `shown_as` "visual" those
    elements stand for collision elements.

    Readers of URDF recover from text that is not well formed, and leave out what they do not understand; of this text they leave out
    nothing. Elements and attributes with a prefix belong to other programs. Raises ValueError that names the place or the item: for text
    that is not well formed or declares a document type, for links and joints without names, of one name, or of links that are not
    declared, for parts of joints and collision elements that are unknown or come twice, for attributes that are missing or hold other than
    their numbers, and for geometry that is not one shape.
    """
    root = _tree(source)
    if root.tag != "robot":
        raise ValueError(f"{source.name} is no URDF file: its root is <{root.tag}>, not <robot>")
    try:
        _check_blank(root)
        kept = ET.Element("robot", {"name": root.get("name", "robot")})
        kept.extend([*_links(root, shown_as)])
        kept.extend([*_joints(root, {link.attrib["name"] for link in kept})])
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}") from None
    if kept.find("link/collision") is None:
        more = "" if root.find("link/visual") is None or shown_as == "visual" else "; pass visual=True to take its visual elements for them"
        raise ValueError(f"{source.name} has no {shown_as} elements, so no link has a body{more}")
    return kept


def for_other_readers(model: ET.Element) -> io.BytesIO:
    """The text of a model, with cylinders in the place of capsules, which many readers do not know, or leave out."""
    plain = copy.deepcopy(model)
    for shape in [*plain.iter("capsule")]:
        shape.tag = "cylinder"
    return io.BytesIO(ET.tostring(plain))


def shape_kinds(model: ET.Element) -> dict[str, list[str]]:
    """The tags of the shapes of each link."""
    return {link.attrib["name"]: [shape.tag for shape in link.iterfind("collision/geometry/*")] for link in model.iterfind("link")}


def _tree(source: Path) -> ET.Element:
    """The elements and attributes without a prefix, of well-formed text without a document type."""
    parser, builder, depth, foreign = expat.ParserCreate(), ET.TreeBuilder(), 0, 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, foreign
        depth += 1
        if tag.startswith("xacro:"):
            raise _refused(source, "it is a template for xacro; expand it first: pip install xacro; xacro TEMPLATE > ROBOT.urdf", parser)
        if depth > _DEEPEST:
            raise _refused(source, f"elements are in each other more than {_DEEPEST} deep", parser)
        foreign += foreign > 0 or (depth > 1 and ":" in tag)
        if not foreign:
            builder.start(tag, {name: value for name, value in attributes.items() if ":" not in name and name != "xmlns"})

    def end(tag: str) -> None:
        nonlocal depth, foreign
        depth -= 1
        if not foreign:
            builder.end(tag)
        foreign = max(foreign - 1, 0)

    def declared(*_: Any) -> None:
        raise _refused(source, "it declares a document type, which a URDF file does not need; leave out that declaration", parser)

    def words(text: str) -> None:
        if not foreign:
            builder.data(text)

    parser.CharacterDataHandler = words
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = begin, end, declared
    try:
        parser.Parse(source.read_bytes(), True)
    except expat.ExpatError as error:
        raise ValueError(f"{source.name} is not well formed at line {error.lineno}, column {error.offset + 1}: "
                         f"{expat.ErrorString(error.code)}") from None
    return builder.close()


def _refused(source: Path, why: str, parser: Any) -> ValueError:
    return ValueError(f"{source.name} is refused at line {parser.CurrentLineNumber}, column {parser.CurrentColumnNumber + 1}: {why}")


def _links(root: ET.Element, shown_as: str) -> Iterator[ET.Element]:
    for link in _named(root, "link"):
        _check_blank(link)
        kept = ET.Element("link", {"name": link.attrib["name"]})
        for k, collision in enumerate(link.findall(shown_as)):
            try:
                _check_parts(collision)
                _check_shape(collision)
            except ValueError as error:
                raise ValueError(f"{shown_as} {k} of link {link.get('name')}: {error}") from None
            ET.SubElement(kept, "collision").extend([part for part in collision if part.tag in ("origin", "geometry")])
        yield kept


def _joints(root: ET.Element, links: set[str]) -> Iterator[ET.Element]:
    for joint in _named(root, "joint"):
        try:
            _check_parts(joint)
            for part in ("parent", "child"):
                link = getattr(joint.find(part), "attrib", {}).get("link")
                if link not in links:
                    raise ValueError(f"it names no {part} link" if link is None else f"its {part} link {link!r} is not declared")
            _check_limit(joint)
        except ValueError as error:
            raise ValueError(f"joint {joint.get('name')}: {error}") from None
        yield joint


def _check_limit(joint: ET.Element) -> None:
    """Refuse missing limits. The format says that missing numbers are 0, so the joint would be fixed; some readers take them for no limit.
    """
    limit = joint.find("limit")
    if joint.get("type") in ("revolute", "prismatic") and (limit is None or not {"lower", "upper"} <= limit.attrib.keys()):
        raise ValueError(f"it is {joint.get('type')}, and has no limit with both lower and upper, of which readers think differently; "
                         "write them, or the type continuous for a joint that turns without end")


def _named(root: ET.Element, tag: str) -> list[ET.Element]:
    """The elements of a kind, each with a name of its own."""
    found = root.findall(tag)
    names = Counter(item.get("name") for item in found)
    if None in names:
        raise ValueError(f"it has a {tag} without a name")
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"it has {names[twice[0]]} {tag}s of the name {twice[0]!r}")
    return found


def _check_parts(item: ET.Element) -> None:
    """Refuse repeated or unknown parts. A reader takes the first one of each in a joint or a collision element, and passes over what it
    does not know.
    """
    for tag, count in Counter(child.tag for child in item).items():
        if count > 1:
            raise ValueError(f"it has {count} elements <{tag}>; one is expected")
        if tag not in _PARTS[item.tag]:
            raise ValueError(f"it has an element <{tag}>, which is none of URDF; leave it out or mend it")
    for part in item.iter():
        _check_blank(part)
        if wrong := sorted(part.attrib.keys() - _ATTRIBUTES.get(part.tag, part.attrib.keys())):
            raise ValueError(f"its element <{part.tag}> has an attribute {wrong[0]}, which is none of URDF; leave it out or mend it")
        _check_values(part)


def _check_values(item: ET.Element) -> None:
    for name in _NEEDED.get(item.tag, ()):
        if name not in item.attrib:
            raise ValueError(f"its element <{item.tag}> has no attribute {name}")
    for name, counts in _NUMBERS.get(item.tag, {}).items():
        text = item.get(name, "0 " * counts[0])
        words = (text.replace(",", " ") if item.tag in SHAPES else text).split()
        if len(words) not in counts or not all(map(_number, words)):
            expected = " or ".join(map(str, counts)) + (" number is" if counts == (1,) else " numbers are")
            raise ValueError(f"its element <{item.tag}> has the {name} {shown(text)}; {expected} expected")


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _check_blank(item: ET.Element) -> None:
    """Text between elements is one that has lost a bracket."""
    for text in (item.text, *(child.tail for child in item)):
        if text and text.strip():
            raise ValueError(f"there is text in its element <{item.tag}>, which URDF has none of: {shown(text.strip())}")


def _check_shape(collision: ET.Element) -> None:
    geometry = collision.find("geometry")
    shapes = [] if geometry is None else [child.tag for child in geometry]
    if len(shapes) != 1 or shapes[0] not in SHAPES:
        what = ", ".join(shapes) or "nothing"
        raise ValueError(f"its geometry is {what}; one of {', '.join(SHAPES)} is expected")
