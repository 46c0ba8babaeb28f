"""The list of slow tests names tests that exist, and the command that makes it follows its rule."""

from pathlib import Path

from .conftest import SLOW
from .slow import TOGETHER, measured, slow_tests

ROOT = Path(__file__).parents[1]


def test_every_slow_test_exists() -> None:
    for name in SLOW:
        file, *_, function = name.partition("[")[0].split("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_long_tests_and_the_cases_beyond_a_share_are_slow() -> None:
    seconds = {"a.py::test_long": 4.0, "a.py::test_quick": 0.1, **{f"b.py::test_many[{k}]": 3.0 + k / 100 for k in range(20)}}
    slow = slow_tests(seconds, ["a.py::test_quick", "c.py::test_unmeasured"])
    kept = int(TOGETHER / 3)
    assert slow == sorted(["a.py::test_long", "c.py::test_unmeasured", *(f"b.py::test_many[{k}]" for k in range(kept, 20))])


def test_a_report_is_read_by_node_ids(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite><testcase classname="tests.codegen.test_kernel" name="test_a[1]" time="2.5"/>'
                      '<testcase classname="tests.codegen.test_kernel" name="test_b" time="9"><skipped/></testcase>'
                      '<testcase classname="tests.test_laws.TestCase" name="test_c" time="1"/></testsuite></testsuites>')
    assert measured(report) == {"tests/codegen/test_kernel.py::test_a[1]": 2.5, "tests/test_laws.py::TestCase::test_c": 1.0}
