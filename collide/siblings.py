"""The packages that come with this one must be those that stand beside it, and no modules of the same names.

Python looks first in the folder of the program that it runs, where `codegen.py` or `models.py` may be the user's own. `import collide` then
says so. The command `collide` leaves the working folder out.
"""

import importlib.util
import os
import sys
from pathlib import Path

_ROOT = os.path.realpath(Path(__file__).parents[1])


def check_siblings(*packages: str) -> None:
    """Raises ImportError, in one sentence, if Python finds something else for the name of a package; what it finds does not run."""
    for name in packages:
        found = _file(name)
        if found is not None and os.path.realpath(Path(found).parents[1]) != _ROOT:
            raise ImportError(f"collide comes with a package that is called {name}, but Python finds {found} in its place: rename that, or "
                              "run `python -P`, which leaves the program's own folder out of Python's path")


def leave_working_folder() -> None:
    """If this is the command `collide`, or `python -m collide`, then modules of the working folder are none of ours."""
    here = os.path.realpath(".")
    if _is_command() and here != _ROOT:
        sys.path[:] = [path for path in sys.path if os.path.realpath(path or ".") != here]


def _file(name: str) -> str | None:
    """The file of a package; None where there is none, or none that Python finds."""
    if name in sys.modules:
        return sys.modules[name].__file__
    spec = importlib.util.find_spec(name)
    return None if spec is None else spec.origin


def _is_command() -> bool:
    """While Python looks for the module of `-m`, the program is called so."""
    program = sys.argv[0] if sys.argv else ""
    module = sys.orig_argv[-len(sys.argv)] if program == "-m" else ""
    return os.path.basename(program) in ("collide", "collide.exe") or module.removeprefix("-m") == "collide"
