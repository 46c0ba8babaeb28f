"""The contact sheet: every shape, operator and motion, one small picture each, as one HTML page (and a PNG, with Chromium).

``python docs/gallery.py [FOLDER] [STEP_FOLDER]`` writes gallery.html and gallery.png; with a folder of STEP files also parts.html and
parts.png, one picture for each file. A body that cannot be drawn stops it.
"""

import sys
from pathlib import Path

from collide.picture import page_to_png
from generative.step import solids_from_step
from models.operators import CURVES, IMPLICIT, MOTIONS, SOLIDS, SURFACES, picture
from models.scenes import SCENES
from models.shapes import SHAPES

STYLE = """body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; color: #1f2933; width: 1352px }
main { display: grid; grid-template-columns: repeat(8, 160px); gap: 8px } figure { margin: 0; text-align: center }
figcaption { font-size: 11.5px; color: #47535f } h2 { margin: 22px 0 6px; font-weight: 600 }"""
SHEETS = {"Curves, as thin tubes": CURVES, "Surfaces and deformations": SURFACES, "Solids": SOLIDS, "Implicit bodies": IMPLICIT,
          "Motions of a brick, from t = 0 to 1": MOTIONS}


def sections(shapes: bool = True) -> dict[str, list[str]]:
    """Title to pictures."""
    shown = {"Shapes": [picture(name.replace("_", " "), s.make()) for name, s in SHAPES.items()]} if shapes else {}
    alone = {name: s for name, s in SCENES.items() if len(s.bodies) == 1}
    shown["Surfaces at the moment of contact with themselves"] = [picture(name.replace("-", " "), s.bodies[0].at(s.known.time))
                                                                  for name, s in alone.items()]
    return shown | {title: [picture(name, make()) for name, make in entries.items()] for title, entries in SHEETS.items()}


def parts(folder: Path) -> dict[str, list[str]]:
    """Title to pictures of the parts in STEP files, all solids of a file in one, with their numbers of faces and the largest gap."""
    return {"Parts from STEP files": [part(path) for path in sorted(folder.glob("*.st*p"))]}


def part(path: Path) -> str:
    """The picture of a file; lengths are in millimetres."""
    solids = solids_from_step(path)
    faces, gap = sum(len(solid.faces) for solid in solids), max(solid.gap for solid in solids)
    return picture(f"{path.stem}: {len(solids)} solid{'s' * (len(solids) > 1)}, {faces} patches, gap {gap:.1e} mm", solids)


def sheet(title: str, shown: dict[str, list[str]], folder: Path) -> None:
    """A page of pictures, and a picture of the page."""
    cells = [f"<h2>{heading}</h2><main>{''.join(own)}</main>" for heading, own in shown.items()]
    page, image = folder / f"{title.lower()}.html", folder / f"{title.lower()}.png"
    page.write_text(f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style></head>'
                    f"<body><h1>{title}</h1>{''.join(cells)}</body></html>", encoding="utf-8")
    print(f"wrote {page}")
    try:
        page_to_png(page, image, width=1400, height=100 + sum(52 + 200 * -(-len(own) // 8) for own in shown.values()))
        print(f"wrote {image}")
    except RuntimeError as error:
        print(f"no {image.name}: {error}")


def main(folder: Path, files: Path | None = None) -> None:
    """Write the sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    if files is not None:
        sheet("Parts", parts(files), folder)
    sheet("Gallery", sections(), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/gallery"), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
