"""``python -m tests.papers [PAPER[:ROW] ...]`` runs rows of the papers anew, and prints the printed and the measured figure."""

import argparse
import time
from collections.abc import Iterator
from importlib import import_module

from ..benchmarks.timing import machine
from . import PAPERS, ROWS, Row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.papers", description="Rows of the five papers, run anew.")
    parser.add_argument("rows", nargs="*", metavar="PAPER[:ROW]", help=f"of {', '.join(PAPERS)}; all if none is given")
    parser.add_argument("--list", action="store_true", help="print the rows that can be run")
    options = parser.parse_args()
    try:
        chosen = list(asked(options.rows))
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        print("\n".join(f"{paper}:{r.number:<3} {r.title}" for paper, r in chosen))
        return
    print(machine())
    print("| paper | row | printed | measured | s |\n| --- | --- | --- | --- | --- |")
    failed = [line for paper, r in chosen if (line := measured(paper, r)) is not None]
    if failed:
        raise SystemExit(f"these rows fail: {', '.join(failed)}")


def measured(paper: str, r: Row) -> str | None:
    """Print a row; return its name if it fails."""
    begin, failed = time.perf_counter(), None
    try:
        figure = r.measure()
    except Exception as error:
        figure, failed = f"{type(error).__name__}: {error}", f"{paper}:{r.number}"
    print(f"| {paper} | {r.number} {r.title} | {r.printed} | {figure} | {time.perf_counter() - begin:.1f} |", flush=True)
    return failed


def asked(names: list[str]) -> Iterator[tuple[str, Row]]:
    """The rows that are named; ValueError for a name that is none."""
    for name in names or PAPERS:
        paper, _, number = name.partition(":")
        if paper not in PAPERS:
            raise ValueError(f"no paper is called {paper}; there are {', '.join(PAPERS)}")
        import_module(f".{paper}", __package__)
        rows = [r for r in ROWS[paper] if not number or str(r.number) == number]
        if not rows:
            raise ValueError(f"row {number} of {paper} does not run by itself; there are {', '.join(str(r.number) for r in ROWS[paper])}")
        yield from ((paper, r) for r in rows)


if __name__ == "__main__":
    main()
