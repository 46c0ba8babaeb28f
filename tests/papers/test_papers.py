"""The command that runs rows of the papers: its rows are those of the page, cheap ones run, and names that are none are refused."""

import re
import sys
from pathlib import Path

import pytest

from tests.papers import PAPERS, ROWS, __main__

PAGE = (Path(__file__).parents[2] / "docs" / "pages" / "papers.md").read_text(encoding="utf-8")
COUNTS = dict(zip(PAPERS, (40, 19, 13, 21, 30), strict=True))


def numbers(paper):
    return sorted(r.number for _, r in __main__.asked([paper]))


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_are_those_that_the_page_names(paper):
    own = numbers(paper)
    assert len(set(own)) == len(own) and set(own) <= set(range(1, COUNTS[paper] + 1))
    (listed,) = re.findall(rf"`python -m tests.papers {paper}`: rows ([\d, ]+)", PAGE)
    assert [int(n) for n in listed.split(", ")] == own


def test_the_page_counts_its_rows():
    found = []
    for part in PAGE.split("\n## ")[1:-1]:
        states = [line.rstrip(" |").rsplit("|", 1)[1].strip() for line in part.splitlines() if re.match(r"\| \d+ \|", line)]
        found.append([len(states), *(sum(s.startswith(kind) for s in states) for kind in ("whole", "in part", "not there"))])
    listed = re.findall(r"\| ([\d ]+) \| ([\d ]+) \| ([\d ]+) \| ([\d ]+) \|$", PAGE.split("## Counts")[1], re.MULTILINE)
    assert [list(map(int, row)) for row in listed] == [*found, [sum(column) for column in zip(*found, strict=True)]]
    assert [row[0] for row in found] == list(COUNTS.values()) and all(sum(row[1:]) == row[0] for row in found)


def test_rows_run_and_failures_are_told(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["papers", "vanecek:4", "kim:7"])
    __main__.main()
    lines = capsys.readouterr().out.splitlines()
    assert "OUT, VERTEX, EDGE, VERTEX, OUT" in lines[3] and "1.0703003338" in lines[4]
    wrong = ROWS["kim"][0]._replace(measure=lambda: 1 / 0)
    assert __main__.measured("kim", wrong) == "kim:1" and "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["newton", "kim:99", "chen:x"])
def test_names_that_are_none(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["papers", name])
    with pytest.raises(SystemExit):
        __main__.main()
    assert "there are" in capsys.readouterr().err
