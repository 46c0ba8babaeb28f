"""The command line, ``collide`` or ``python -m collide``: runs a scene or a world of `models` (``collide NAME``, ``--list``, ``--demo``),
checks logs of proofs (``collide check FILE``), and makes machine code before it is needed (``collide prepare``).
"""

import argparse
import contextlib
import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from . import __version__
from .siblings import check_siblings

if TYPE_CHECKING:
    from models.scenes import Scene, WorldScene

    from .answers.contacts import Contacts

DEMO = ("tori-crossed", "tori-coaxial")
# What the command returns. That of several scenes or logs is the greatest of theirs.
NO_PROOF, WRONG, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
CODES = {"CONTACT": 0, "NO_CONTACT": 0, "UNRESOLVED": 3, "BUDGET_SPENT": 4, "ACCEPTED": 0, "REJECTED": NO_PROOF, "FINISHED": 0}
ENDS = """The command ends with 0 if the question is decided (CONTACT or NO_CONTACT; worlds: FINISHED; logs: all are proofs), 1 if a log is
no proof, 2 if something was wrong with what was given, 3 for UNRESOLVED, 4 for BUDGET_SPENT (also by Ctrl-C in a search), 130 after Ctrl-C
elsewhere, and 141 if nobody reads any more what it prints."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run the scenes it names, print what was proved; returns the exit status (`ENDS`)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        try:
            command = {"check": _check, "prepare": _prepare}.get(arguments[0]) if arguments else None
            return _scenes(arguments) if command is None else command(arguments[1:])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # What Python still has to write when it ends goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, ImportError, TypeError, ValueError, RuntimeError) as error:
        print(f"collide: {_in_words(error)}", file=sys.stderr)
        return WRONG


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror
    return str(error)


def _scenes(arguments: Sequence[str]) -> int:
    """Run scenes; the greatest of their codes."""
    parser = _parser()
    options = parser.parse_args(arguments)
    check_siblings("models")
    if options.list:
        _print_list()
        return 0
    if bool(options.name) == options.demo:
        parser.error("name one scene, such as tori-crossed, or give --demo or --list")
    if options.log and options.demo:
        parser.error("--log writes the proof of one scene: name it")
    if (world := _world(options.name)) is not None:
        if options.png or options.json or options.log:
            parser.error(f"{options.name} is a world, which is run: of it there is --html")
        _check_targets(options)
        return _played(world, options)
    scenes = [_find(name, parser) for name in (DEMO if options.demo else [options.name])]
    _check_targets(options)
    # Sentences do not go among JSON.
    told = sys.stderr if options.json == "-" else sys.stdout
    results = [_answer(scene, options, told) for scene in scenes]
    _write(options, scenes, results, told)
    return max(CODES[result.status.name] for result in results)


def _check(arguments: Sequence[str]) -> int:
    """Check logs; 0 if all are proofs."""
    parser = argparse.ArgumentParser(prog=f"{_program()} check", description="Verify logs of proofs, step by step, in Arb.", epilog=ENDS)
    parser.add_argument("logs", nargs="+", metavar="FILE", help="a log, as --log, or first_contact(..., log=FILE), writes it")
    parser.add_argument("--statement", action="store_true", help="print what the log states: the formulas that its theorem is about")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=3600.0, help="time limit of each log (default 3600)")
    options = parser.parse_args(arguments)
    from .proof import check

    code = 0
    for path in options.logs:
        found = check(path, budget=options.budget)
        code = max(code, CODES[found.status.name])
        print("\n".join([*(found.statement if options.statement else ()), f"{path}: {found}"]))
    return code


def _prepare(arguments: Sequence[str]) -> int:
    """Make machine code of common kinds of questions; 4 where the time was too short for all."""
    from .prepare import SHAPES, prepared

    parser = argparse.ArgumentParser(
        prog=f"{_program()} prepare", description="Make the machine code of common kinds of questions, for all processes to come: first "
        "contacts and distances of all pairs of the shapes named.")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"{', '.join(SHAPES)} (default: all)")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=3600.0, help="time limit (default 3600)")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.shapes if name not in SHAPES]:
        parser.error(f"there is no shape {unknown[0]!r}; there are {', '.join(SHAPES)}")
    ready = True
    for pair, kernels, ready in prepared(options.shapes or list(SHAPES), options.budget):
        print(f"{pair}: {kernels} kernel{'s' * (kernels != 1)}{'' if ready else ' asked for; the time is over'}", flush=True)
    return 0 if ready else CODES["BUDGET_SPENT"]


def _world(name: str | None) -> "WorldScene | None":
    from models.scenes import WORLDS

    return WORLDS.get(name or "")


def _played(scene: "WorldScene", options: argparse.Namespace) -> int:
    """Run a world, and write the page that plays it."""
    import collide

    print(f"{scene.title}  [{scene.name}]", flush=True)
    world = collide.World([collide.RigidBody(**body) for body in scene.bodies], **scene.options)
    run = world.run(**scene.run, budget=options.budget, progress=sys.stderr.isatty())
    print(f"{run.summary()}\nKnown: {scene.known}.\n", flush=True)
    if options.html:
        run.save_html(options.html, scene.title)
        print(f"wrote {options.html}")
    return CODES[run.outcome.name]


def _program() -> str:
    return "python -m collide" if Path(sys.argv[0]).stem == "__main__" else "collide"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_program(), description="Find and prove the first contact in a scene, or run a world.",
                                     epilog=f"For example: collide tori-crossed --html tori.html; collide check FILE verifies a log of a "
                                            f"proof. {ENDS}")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a scene or a world; --list names them")
    parser.add_argument("--list", action="store_true", help="list scenes and worlds with what is known of them")
    parser.add_argument("--demo", action="store_true", help=f"run {' and '.join(DEMO)}")
    parser.add_argument("--html", metavar="FILE", help="write the interactive picture as one self-contained page")
    parser.add_argument("--png", metavar="FILE", help="write a picture of the moment of contact; needs Chromium")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON; - is the standard output, and sentences go to the error "
                                                       "output then")
    parser.add_argument("--log", metavar="FILE", help="write why the answer is true, for `collide check FILE`")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=60.0, help="time limit of a search (default 60)")
    parser.add_argument("--version", action="version", version=f"collide {__version__}")
    return parser


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if (value := float(text)) > 0:
            return value
    raise argparse.ArgumentTypeError(f"the budget must be a positive number of seconds, got {text}")


def _print_list() -> None:
    from models.scenes import SCENES, WORLDS

    known: dict[str, Scene | WorldScene] = {**SCENES, **WORLDS}
    width = max(map(len, known))
    for name, scene in sorted(known.items()):
        print(f"{name:{width}}  {scene.title}\n{'':{width}}  known: {scene.known}\n{'':{width}}  source: {scene.source}")


def _find(name: str, parser: argparse.ArgumentParser) -> "Scene":
    from models.scenes import SCENES, WORLDS

    if name not in SCENES:
        near = difflib.get_close_matches(name, [*SCENES, *WORLDS], n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else "--list names all"
        parser.error(f"there is no scene {name!r}; {hint}")
    return SCENES[name]


def _check_targets(options: argparse.Namespace) -> None:
    """Refuse, before the search, options for which something is missing: what draws pictures (pages need nothing), or folders."""
    if options.png:
        from .picture import chromium

        chromium()
    for name in filter(None, (options.html, options.png, options.json, options.log)):
        if not Path(name).parent.is_dir():
            raise FileNotFoundError(f"{name}: there is no folder {Path(name).parent}")


def _answer(scene: "Scene", options: argparse.Namespace, told: TextIO) -> "Contacts":
    print(f"{scene.title}  [{scene.name}]", file=told, flush=True)
    result = _run(scene, options.budget, options.log)
    print(f"{result.summary()}\nKnown: {scene.known}.\n", file=told, flush=True)
    return result


def _run(scene: "Scene", budget: float, log: str | None = None) -> "Contacts":
    import collide

    options = {**scene.options, "budget": budget, "progress": sys.stderr.isatty()}
    if len(scene.bodies) > 1:
        return collide.first_contact(list(scene.bodies), time=scene.time, log=log, **options)
    return collide.self_contact(list(scene.bodies), time=scene.time, log=log, **options)


def _write(options: argparse.Namespace, scenes: Sequence["Scene"], results: Sequence["Contacts"], told: TextIO) -> None:
    if options.html:
        from .picture import save_html

        heading = "First contact, proved" if len(scenes) > 1 else ""
        save_html(options.html, results, titles=[scene.title for scene in scenes], heading=heading)
    if options.png:
        from .picture import save_png

        save_png(options.png, results[0])
    if options.json:
        text = results[0].to_json() if len(results) == 1 else f"[{', '.join(r.to_json() for r in results)}]"
        if options.json == "-":
            print(text)
        else:
            from .files import write_text

            write_text(options.json, text)
    for name in filter(None, (options.html, options.png, options.json)):
        if name != "-":
            print(f"wrote {name}", file=told)


if __name__ == "__main__":
    sys.exit(main())
