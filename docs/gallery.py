"""The contact sheet: every shape, operator and motion, one small picture each, as one HTML page (and a PNG, with Chromium).

``python docs/gallery.py [FOLDER]`` writes gallery.html and gallery.png. A body that cannot be drawn stops it.
"""

import sys
from pathlib import Path

from collide.picture import page_to_png
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


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shown = sections()
    parts = [f"<h2>{title}</h2><main>{''.join(cells)}</main>" for title, cells in shown.items()]
    page = folder / "gallery.html"
    page.write_text(f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title><style>{STYLE}</style></head>'
                    f"<body><h1>Gallery</h1>{''.join(parts)}</body></html>", encoding="utf-8")
    print(f"wrote {page}")
    try:
        page_to_png(page, folder / "gallery.png", width=1400, height=100 + sum(52 + 180 * -(-len(cells) // 8) for cells in shown.values()))
        print(f"wrote {folder / 'gallery.png'}")
    except RuntimeError as error:
        print(f"no gallery.png: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/gallery"))
