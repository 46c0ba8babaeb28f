"""A hook of MkDocs: formulas as MathML, which browsers draw by themselves, without a program or fonts from the net."""

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)

# Functions stand off from what is beside them, unless that is their argument in brackets.
NAMES = "arccos|arcsin|arctan|acos|asin|atan|cosh|sinh|tanh|cos|sin|tan|exp|log|ln|max|min|det"
NAME = (rf"(?:<msup><mi>(?:{NAMES})</mi>(?:<mrow>)?<m[in]>[^<]*</m[in]>(?:</mrow>)?</msup>|"
        rf"(?<!<msup>)(?<!<msub>)<mi>(?:{NAMES})</mi>)")
BEFORE = re.compile(rf"(</(?:mi|mn|mrow|mfrac|msqrt|msup|msub)>)({NAME})")
AFTER = re.compile(rf"({NAME})(<(?:mi|mn|mfrac|msqrt|msup|msub)>)")


def on_page_content(html: str, **_: Any) -> str:
    return FORMULA.sub(lambda found: drawn(unescape(found[3]), alone=found[2] == "["), html)


def drawn(latex: str, alone: bool = False) -> str:
    """One formula. The brackets of a matrix are drawn by `pages.css`: without a font for mathematics browsers do not stretch them."""
    latex = re.sub(r"\\left\[(\\begin\{matrix\}.*?\\end\{matrix\})\\right\]", r"\1", latex, flags=re.DOTALL)
    text = convert(latex, display="block" if alone else "inline")
    for beside in (BEFORE, AFTER):
        text = beside.sub(r'\1<mspace width="0.17em"></mspace>\2', text)
    return f'<span class="formula">{text}</span>'
