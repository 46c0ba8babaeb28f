"""The table of widths: compiled bounds against those by hand."""

import numpy as np

from .cases import WIDTHS, compared, ratios
from .test_hand_coded import CASES


def main() -> None:
    print(f"{'width of boxes, of the range':>42} {'   '.join(f'{width:8.1e}' for width in WIDTHS)}   bounds by hand are wider in")
    for name, case in CASES.items():
        found = compared(case, 200)
        rows = [np.median(ratios(found)[k::len(WIDTHS)]) for k in range(len(WIDTHS))]
        print(f"{name:>42} {'   '.join(f'{ratio:8.3f}' for ratio in rows)}   {found.by_hand.rows:>4}   {case.reason}")


if __name__ == "__main__":
    main()
