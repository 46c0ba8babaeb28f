"""Progress of a long query, in the terminal or in a notebook: waiting for the compiler, or searching."""

import time
import warnings

from codegen.machine.native import watchers


class Progress:
    """A bar that counts boxes, and says so while kernels are being compiled."""

    def __init__(self) -> None:
        with warnings.catch_warnings():  # of a notebook without ipywidgets, where the bar is one of text
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

        self.kernels, self.waited = 0, 0.0
        self._since: float | None = None
        self._bar = tqdm(desc="preparing", unit=" boxes", unit_scale=True)
        watchers.append(self.compiling)

    def compiling(self) -> None:
        """A wait for the compiler begins; it ends with the next one or with the next slice of the search."""
        self._stop()
        self._since, self.kernels = time.perf_counter(), self.kernels + 1
        self._bar.set_description_str(f"compiling kernel {self.kernels}")

    def searching(self, boxes: int, still_open: int, found: int) -> None:
        """A slice of the search has ended."""
        self._stop()
        self._bar.set_description_str("searching", refresh=False)
        self._bar.n = boxes
        compiled = f", {self.kernels} kernels compiled in {self.waited:.1f} s" if self.kernels else ""
        self._bar.set_postfix_str(f"{still_open} open, {found} found{compiled}")

    def close(self) -> None:
        watchers.remove(self.compiling)
        self._bar.close()

    def _stop(self) -> None:
        if self._since is not None:
            self.waited += time.perf_counter() - self._since
            self._since = None


def duration(seconds: float) -> str:
    """A time in three digits, of milliseconds or of seconds."""
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"
