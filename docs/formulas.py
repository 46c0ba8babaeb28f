"""A hook of MkDocs: formulas as MathML, which browsers draw by themselves, without a program or fonts from the net."""

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    return FORMULA.sub(lambda found: drawn(unescape(found[3]), alone=found[2] == "["), html)


def drawn(latex: str, alone: bool = False) -> str:
    """One formula. The brackets of a matrix are drawn by `pages.css`: without a font for mathematics browsers do not stretch them."""
    latex = re.sub(r"\\left\[(\\begin\{matrix\}.*?\\end\{matrix\})\\right\]", r"\1", latex, flags=re.DOTALL)
    return f'<span class="formula">{convert(latex, display="block" if alone else "inline")}</span>'
