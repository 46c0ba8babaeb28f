"""Run a scene of `models` from the command line: ``python -m collide NAME``, ``--list``, ``--demo``; and check logs of proofs:
``python -m collide check FILE``.
"""

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.scenes import Scene

    from .answers.contacts import Contacts

DEMO = ("tori-crossed", "tori-coaxial")


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run the scenes it names, print what was proved; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["check"]:
        return _check(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.list:
        _print_list()
        return 0
    if bool(options.name) == options.demo:
        parser.error("name one scene, such as tori-crossed, or give --demo or --list")
    scenes = [_find(name, parser) for name in (DEMO if options.demo else [options.name])]
    results = []
    try:
        for scene in scenes:
            print(f"{scene.title}  [{scene.name}]", flush=True)
            results.append(_run(scene, options.budget))
            print(f"{results[-1].summary()}\nKnown: {scene.known}.\n", flush=True)
        _write(options, scenes, results)
    except (OSError, ImportError, TypeError, RuntimeError) as error:
        print(f"collide: {error}", file=sys.stderr)
        return 1
    return 0


def _check(arguments: Sequence[str]) -> int:
    """Check logs; 0 if all are proofs."""
    parser = argparse.ArgumentParser(prog="python -m collide check", description="Verify logs of proofs, step by step, in Arb.")
    parser.add_argument("logs", nargs="+", metavar="FILE", help="a log, as first_contact(..., log=FILE) writes it")
    parser.add_argument("--statement", action="store_true", help="print what the log states: the formulas that its theorem is about")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=3600.0, help="time limit of each log (default 3600)")
    options = parser.parse_args(arguments)
    from .proof import check

    good = True
    for path in options.logs:
        try:
            found = check(path, budget=options.budget)
        except (OSError, ImportError) as error:
            print(f"collide: {error}", file=sys.stderr)
            return 2
        good &= found.accepted
        print("\n".join([*(found.statement if options.statement else ()), f"{path}: {found}"]))
    return 0 if good else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m collide", description="Find and prove the first contact in a scene.",
                                     epilog="For example: python -m collide tori-crossed --html tori.html; python -m collide check FILE "
                                            "verifies a log of a proof")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a scene; --list names them")
    parser.add_argument("--list", action="store_true", help="list the scenes with what is known of them")
    parser.add_argument("--demo", action="store_true", help=f"run {' and '.join(DEMO)}")
    parser.add_argument("--html", metavar="FILE", help="write the interactive picture as one self-contained page")
    parser.add_argument("--png", metavar="FILE", help="write a picture of the moment of contact; needs Chromium or kaleido")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=60.0, help="time limit of a search (default 60)")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"the budget must be a positive number of seconds, got {text}")
    return value


def _print_list() -> None:
    from models.scenes import SCENES

    width = max(map(len, SCENES))
    for name, scene in sorted(SCENES.items()):
        print(f"{name:{width}}  {scene.title}\n{'':{width}}  known: {scene.known}\n{'':{width}}  source: {scene.source}")


def _find(name: str, parser: argparse.ArgumentParser) -> "Scene":
    from models.scenes import SCENES

    if name not in SCENES:
        near = difflib.get_close_matches(name, SCENES, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else "--list names all"
        parser.error(f"there is no scene {name!r}; {hint}")
    return SCENES[name]


def _run(scene: "Scene", budget: float) -> "Contacts":
    import collide

    query = collide.first_contact if len(scene.bodies) > 1 else collide.self_contact
    return query(list(scene.bodies), time=scene.time, budget=budget, progress=sys.stderr.isatty(), **scene.options)


def _write(options: argparse.Namespace, scenes: Sequence["Scene"], results: Sequence["Contacts"]) -> None:
    if options.html:
        from .picture import save_html

        heading = "First contact, proved" if len(scenes) > 1 else ""
        save_html(options.html, results, titles=[scene.title for scene in scenes], heading=heading)
        print(f"wrote {options.html}")
    if options.png:
        from .picture import save_png

        save_png(options.png, results[0])
        print(f"wrote {options.png}")
    if options.json:
        text = results[0].to_json() if len(results) == 1 else f"[{', '.join(r.to_json() for r in results)}]"
        Path(options.json).write_text(text, encoding="utf-8")
        print(f"wrote {options.json}")


if __name__ == "__main__":
    sys.exit(main())
