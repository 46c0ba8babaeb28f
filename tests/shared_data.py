"""Place of real test data beside a checkout; tests that need it are skipped where it is absent."""

from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data"
