"""How far a run is, and how long it may take: steps weighted by what they are known to cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

#: For so many seconds' worth of work a run is taken to be as fast as its cores, whatever it showed until then.
PATIENCE = 30.0
WIDTH = 30


class Progress:
    """The jobs of a run by what they cost: those done, those at work, and the rest."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is expected yet."""
        self._clock = clock
        self._costs: dict[int, float] = {}
        self._cores, self._began = 1, clock()
        self._running: dict[int, float] = {}
        self._done: set[int] = set()

    def expect(self, costs: Mapping[int, float], cores: int) -> None:
        """The CPU seconds of every job to come, by its number, and how many jobs may run at once."""
        self._costs, self._cores, self._began = dict(costs), max(cores, 1), self._clock()
        self._running, self._done = {}, set()

    def start(self, job: int) -> None:
        """A job begins, perhaps again."""
        self._running[job] = self._clock()

    def finish(self, job: int) -> None:
        """A job is done."""
        self._running.pop(job, None)
        self._done.add(job)

    @property
    def share(self) -> float:
        """The share of the work that is done."""
        total = sum(self._costs.values())
        return min(self._worked() / total, 1.0) if total else 0.0

    @property
    def left(self) -> float:
        """About how many seconds the run still takes."""
        elapsed, worked = self._clock() - self._began, self._worked()
        pace = (PATIENCE * self._cores + worked) / (PATIENCE + elapsed)
        rest = sum(self._costs.values()) - worked
        # However many cores there are, the longest job takes its time.
        longest = max((cost for job, cost in self._costs.items() if job not in self._done), default=0.0)
        return max(rest / pace, longest * self._cores / pace - self._oldest()) if rest > 0 else 0.0

    def _worked(self) -> float:
        """CPU seconds' worth of work that is done: a job at work counts by its time, up to what it was to cost."""
        now = self._clock()
        partly = (min(now - began, 0.95 * self._costs.get(job, 0.0)) for job, began in self._running.items())
        return sum(self._costs.get(job, 0.0) for job in self._done) + sum(partly)

    def _oldest(self) -> float:
        """For how long the job that has run the longest has done so."""
        return self._clock() - min(self._running.values(), default=self._clock())

    def bar(self) -> str:
        """The work done as a bar."""
        filled = round(WIDTH * self.share)
        return f"{'█' * filled}{'░' * (WIDTH - filled)} {self.share:4.0%}"


def remaining(seconds: float) -> str:
    """A rough word on the time left, where it is long enough to matter."""
    if seconds < 20:
        return ""
    return f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"


#: The run of this process: the Snakefile says what to expect, the logger what happens.
RUN = Progress()
