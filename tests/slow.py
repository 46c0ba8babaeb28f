"""Make the list of slow tests from measured durations.

``make durations`` runs all tests, then ``python -m tests.slow REPORT.xml`` reads the JUnit report and rewrites ``tests/slow.txt``.
A test is slow if it takes `LONGEST` seconds, or if it is a case of a parametrised test whose quicker cases have used up `TOGETHER` seconds.
Tests that no report measured keep their place in the list as long as they exist.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

LIST = Path(__file__).parent / "slow.txt"
LONGEST = 3.5
TOGETHER = 40.0


def measured(report: Path) -> dict[str, float]:
    """Seconds of each test that passed, by its node id."""
    return {_node_id(case): float(case.get("time", 0)) for case in ElementTree.parse(report).iter("testcase") if not len(case)}


def _node_id(case: ElementTree.Element) -> str:
    parts = case.get("classname", "").split(".")
    classes = [p for p in parts if p[:1].isupper()]
    return "::".join([f"{'/'.join(p for p in parts if p not in classes)}.py", *classes, case.get("name", "")])


def slow_tests(seconds: Mapping[str, float], listed: Iterable[str] = ()) -> list[str]:
    """The list of slow tests, sorted; `listed` is the old one."""
    cases: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for name, taken in seconds.items():
        cases[name.partition("[")[0]].append((taken, name))
    slow = {name for name in listed if name not in seconds}
    for group in cases.values():
        used = 0.0
        for taken, name in sorted(group):
            used += taken
            if taken >= LONGEST or used > TOGETHER:
                slow.add(name)
    return sorted(slow)


def main(reports: list[str]) -> None:
    if not reports:
        raise SystemExit("usage: python -m tests.slow REPORT.xml ..., JUnit reports of all tests, as `make durations` writes them")
    seconds = {name: taken for report in reports for name, taken in measured(Path(report)).items()}
    old = LIST.read_text(encoding="utf-8").splitlines()
    new = slow_tests(seconds, old)
    LIST.write_text("\n".join(new) + "\n", encoding="utf-8")
    come, gone = set(new) - set(old), set(old) - set(new)
    print(f"{len(seconds)} tests measured; {len(new)} are slow, {len(come)} of them new; {len(gone)} left the list")


if __name__ == "__main__":
    main(sys.argv[1:])
