"""How long the last run would take on how many cores, and which chain of jobs bounds it, by what its jobs cost.

`python -m tools.schedule`, after a run: every job takes the CPU seconds that it noted, jobs with the longest chain
behind them go first, and nothing but cores is scarce. Beside it stands what the run took.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from replication.engine.costs import Step, notes
from replication.engine.job import STATE

CORES = (1, 2, 8, 64)
#: What Snakemake itself takes to start a job and to see that it ended.
OVERHEAD = 0.1


def tails(steps: Mapping[int, Step]) -> dict[int, float]:
    """The seconds from the start of each job to the end of the longest chain behind it."""
    followers: dict[int, list[int]] = {number: [] for number in steps}
    for number, step in steps.items():
        for other in step.needs:
            followers[other].append(number)
    known: dict[int, float] = {}
    # A job's number says nothing of its place: those whose followers are known come first.
    waiting = {number: len(after) for number, after in followers.items()}
    ready = [number for number, open_ones in waiting.items() if not open_ones]
    while ready:
        number = ready.pop()
        behind = max((known[other] for other in followers[number]), default=0.0)
        known[number] = steps[number].seconds + OVERHEAD + behind
        for other in steps[number].needs:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return known


def makespan(steps: Mapping[int, Step], cores: int) -> float:
    """How long all jobs take on so many cores, longest chain first."""
    behind = tails(steps)
    followers: dict[int, list[int]] = {number: [] for number in steps}
    missing = {number: len(step.needs) for number, step in steps.items()}
    for number, step in steps.items():
        for other in step.needs:
            followers[other].append(number)
    ready = [(-behind[number], number) for number, count in missing.items() if not count]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            number = heapq.heappop(ready)[1]
            heapq.heappush(running, (now + steps[number].seconds + OVERHEAD, number))
        now, ended = heapq.heappop(running)
        for other in followers[ended]:
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, (-behind[other], other))
    return now


def longest_chain(steps: Mapping[int, Step]) -> list[Step]:
    """The jobs of the chain that no number of cores shortens."""
    behind = tails(steps)
    chain: list[Step] = []
    free = [number for number, step in steps.items() if not step.needs]
    while free:
        number = max(free, key=behind.__getitem__)
        chain.append(steps[number])
        free = [other for other, step in steps.items() if number in step.needs]
    return chain


def noted(steps: Mapping[int, Step], logs: Path) -> dict[int, Step]:
    """The same jobs with what they took."""
    costs = dict(notes(logs))
    return {
        number: Step(step.name, costs[step.name].cpu_seconds if step.name in costs else step.seconds, step.needs)
        for number, step in steps.items()
    }


def report(plan: Path) -> Iterator[str]:
    """The lines that `python -m tools.schedule` prints."""
    content = json.loads(plan.read_text(encoding="utf-8"))
    logs = Path(content["logs"])
    expected = {
        int(number): Step(step["name"], step["seconds"], tuple(step["needs"]))
        for number, step in content["steps"].items()
    }
    steps = noted(expected, logs)
    ends = [path.stat().st_mtime for path in logs.rglob("*.cost.json")]
    total = sum(step.seconds for step in steps.values())
    yield f"{len(steps)} jobs, {total:.0f} CPU s; foreseen: {sum(step.seconds for step in expected.values()):.0f}"
    yield f"the run took {max(ends, default=content['began']) - content['began']:.0f} s on {content['cores']} cores"
    for cores in CORES:
        yield f"{cores:3d} cores: {makespan(steps, cores):6.0f} s"
    chain = longest_chain(steps)
    yield f"longest chain: {sum(step.seconds + OVERHEAD for step in chain):.0f} s"
    yield from (f"  {step.seconds:6.1f} s  {step.name}" for step in chain)
    yield "longest jobs:"
    longest = sorted(steps.values(), key=lambda step: -step.seconds)[:8]
    yield from (f"  {step.seconds:6.1f} s  {step.name}" for step in longest)


if __name__ == "__main__":
    print("\n".join(report(STATE / "plan.json")))  # noqa: T201
