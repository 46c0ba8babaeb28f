"""``python -m tests.benchmarks [name ...]`` prints the tables of the named benchmarks, or of all but the slow ones.

``python -m tests.benchmarks general --all`` compares every pair with a local method from random starts, which takes some minutes.
"""

import sys
from importlib import import_module

from .timing import machine

NAMES = ["kernels", "compile_time", "contact", "orders", "poses", "linear_ccd", "mesh_ccd", "bezier", "cloth", "general", "sweep",
         "threads", "optimizers"]
SLOW = ["linear_million", "cold"]


def main(words: list[str]) -> None:
    every = "--all" in words
    names = [word for word in words if word != "--all"]
    if every and names != ["general"]:
        sys.exit("--all is for the benchmark general: python -m tests.benchmarks general --all")
    unknown = [n for n in names if n not in NAMES + SLOW]
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES + SLOW)}")
    print(machine())
    for name in names or NAMES:
        import_module(f".{name}", __package__).main(*[True] * every)


if __name__ == "__main__":
    main(sys.argv[1:])
