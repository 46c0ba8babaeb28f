"""Writes ``docs/pages/functions.md``, or with ``--check`` names the rows that differ; parts of constructs select rows to print."""

import sys

from .constructs import Construct, constructs
from .measured import Measured, measured
from .page import PAGE, page


def rows(parts: list[str]) -> list[tuple[Construct, Measured]]:
    found = []
    for c in constructs():
        if not parts or any(part in c.text for part in parts):
            found.append((c, measured(c)))
    return found


def main(arguments: list[str]) -> None:
    parts = [a for a in arguments if a != "--check"]
    found = page(rows(parts))
    if parts:
        print(found)
    elif "--check" in arguments:
        changed = set(found.splitlines()) ^ set(PAGE.read_text(encoding="utf-8").splitlines())
        raise SystemExit("\n".join(["rows that differ:", *sorted(changed)]) if changed else 0)
    else:
        PAGE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
