"""Writes the tables: all, or those that are named."""

import sys
import time

import numpy as np

from codegen.graph.tables import FILE

from .functions import TABLES
from .rows import all_rows


def main() -> None:
    names = sys.argv[1:] or list(TABLES)
    stored: dict[str, np.ndarray] = {}
    if sys.argv[1:] and FILE.exists():
        with np.load(FILE) as file:
            stored = {key: file[key] for key in file.files}
    for name in names:
        np.savez_compressed(FILE, **dict(sorted(stored.items())))  # type: ignore[arg-type]
        begin, table = time.perf_counter(), TABLES[name]
        stored[name] = all_rows(table)
        stored[f"{name}.layout"] = np.array([float(x) for x in table.layout])
        worst = np.max(stored[name][:, -1] / abs(stored[name][:, 0]))
        seconds = time.perf_counter() - begin
        print(f"{name:>20}: {len(stored[name]):>5} rows, relative error {worst / 2.0**-53:.3f} * 2^-53, {seconds:.1f} s", flush=True)
    np.savez_compressed(FILE, **dict(sorted(stored.items())))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
