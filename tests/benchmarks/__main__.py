"""``python -m tests.benchmarks [NAME ...]`` prints the tables of the named benchmarks, or of all but the slow ones.

Each is a module beside this one, and what it measures is the first paragraph of it, which ``--help`` shows.
"""

import argparse
import ast
import textwrap
from importlib import import_module
from pathlib import Path

from .timing import machine

NAMES = ["kernels", "points", "compile_time", "contact", "orders", "paving", "poses", "linear_ccd", "mesh_ccd", "bezier", "cloth",
         "general", "sweep", "threads", "optimizers", "starts", "recorded", "meshes_as_bodies", "distance", "clearance",
         "tolerances", "executors", "world", "ode", "brep_index", "booleans", "closest",
         "polyhedra", "pictures", "logs", "questions"]
SLOW = ["linear_million", "cold", "long_process", "constants", "bodies", "arms", "assemblies", "sheets", "robots", "brep"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description="Tables of times, with peers in the same run where they are installed.",
                                     epilog="\n".join(map(described, NAMES + SLOW)))
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run (default: all but the slow ones)")
    parser.add_argument("--all", action="store_true", help="of `general`: compare every pair with a local method; takes some minutes")
    options = parser.parse_args()
    if options.all and options.names != ["general"]:
        parser.error("--all is for the benchmark general: python -m tests.benchmarks general --all")
    unknown = [n for n in options.names if n not in NAMES + SLOW]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES + SLOW)}")
    print(machine())
    for name in options.names or NAMES:
        import_module(f".{name}", __package__).main(*[True] * options.all)


def described(name: str) -> str:
    """The name of a benchmark, and what it measures."""
    source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    what = " ".join((ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].split())
    slow = " (slow, runs by name only)" if name in SLOW else ""
    return textwrap.fill(f"{what}{slow}", 110, initial_indent=f"{name:15}", subsequent_indent=" " * 15)


if __name__ == "__main__":
    main()
