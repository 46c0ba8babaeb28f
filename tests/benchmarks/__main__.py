"""``python -m tests.benchmarks [name ...]`` prints the tables of the named benchmarks, or of all but the slow ones."""

import sys
from importlib import import_module

from .timing import machine

NAMES = ["kernels", "compile_time", "contact", "linear_ccd", "mesh_ccd", "bezier", "cloth", "general", "optimizers"]
SLOW = ["linear_million"]


def main(names: list[str]) -> None:
    unknown = [n for n in names if n not in NAMES + SLOW]
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES + SLOW)}")
    print(machine())
    for name in names or NAMES:
        import_module(f".{name}", __package__).main()


if __name__ == "__main__":
    main(sys.argv[1:])
