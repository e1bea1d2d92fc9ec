"""The referee's job in the multiverse: a whole figure under other choices, and what its claims come to there.

Owner, learner and referee run in turn, by the functions of their own stages: a learner's function is given what was
released and what its arm may read, and no more. Universes that ask for the same share what their learners keep in mind.
"""

import sys
import tempfile
import traceback
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from workflow.scripts.figure import steps

from replication.engine.job import job
from replication.engine.layout import Files
from replication.engine.task import write_csv
from replication.judging.claim import Claim
from replication.judging.judge import UNIVERSES, Row, claims_of, judge_claim, load, universe_row
from replication.judging.multiverse.settings import Universe
from replication.judging.verdicts import Outcome, Verdict


def multiverse(universes: Iterable[Universe], seed: int, output: Path) -> None:
    """Run every universe; one that fails settles nothing, and its log says why."""
    rows: list[Row] = []
    for universe in universes:
        print(f"{universe.name}:", file=sys.stderr, flush=True)  # noqa: T201 - the log
        paper, figure, chosen = universe.figure.paper, universe.figure.name, (universe.choice, universe.value)
        own = [claim for claim in claims_of(paper) if claim.figure == figure]
        try:
            found = run(universe, own, seed)
        except Exception:  # whatever a choice breaks, the other universes stand
            traceback.print_exc()
            found = [Verdict(Outcome.UNTESTABLE)] * len(own)
        for claim, verdict in zip(own, found, strict=True):
            rows.append(universe_row(paper, claim, figure, chosen, verdict, universe.scale))
    write_csv(output, pd.DataFrame(rows, columns=UNIVERSES))


def run(universe: Universe, claims: Iterable[Claim], seed: int) -> list[Verdict]:
    """The verdicts on a figure's claims in one universe, whose files last as long as that takes."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files(universe.figure, folder)
        for stage, given in steps(files, seed):
            stage(*given)
        scores, grades = load(Path(files.folder))
        return [judge_claim(claim, scores, grades)[0] for claim in claims]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        multiverse(snakemake.params.universes, snakemake.params.seed, Path(snakemake.output[0]))
