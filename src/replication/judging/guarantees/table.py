"""What every mechanism of every paper promises, what it keeps, and what an audit finds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.task import read_scores
from replication.judging.guarantees.case import Case
from replication.randomness import generator
from unveil.privacy.audit import audit_release

COLUMNS = [
    "paper",
    "mechanism",
    "parameters",
    "claimed_epsilon",
    "claimed_delta",
    "exact_epsilon",
    "exact_delta",
    "audited_low",
    "n",
    "scope",
]


def load_cases(paper: str, settings: Any) -> list[Case]:
    """A paper's mechanisms, as its own module has them."""
    cases: list[Case] = import_module(f"replication.papers.{paper}.guarantees").cases(settings)
    return cases


def table(seed: int, paper: str, settings: Any, samples: int, confidence: float) -> pd.DataFrame:
    """One row a mechanism and setting; `audited_low` bounds ε at the claimed δ from n releases of either input."""
    rows = [audit_case(case, seed, samples, confidence) for case in load_cases(paper, settings)]
    return pd.DataFrame(rows, columns=COLUMNS)


def gather_tables(*tables: str) -> pd.DataFrame:
    """The papers' tables as one."""
    return pd.concat([read_scores(Path(path)) for path in tables], ignore_index=True)


def audit_case(case: Case, seed: int, samples: int, confidence: float) -> list[Any]:
    """A row of the table."""
    n = min(samples, case.most or samples)
    audit = audit_release(
        case.release,
        case.here,
        case.there,
        n=n,
        rng=generator(seed, "guarantees", case.paper, case.mechanism, case.scope, case.shown_parameters),
        delta=case.claimed[1],
        confidence=confidence,
        log_ratio=case.log_ratio,
    )
    shown = case.paper, case.mechanism, case.shown_parameters
    return [*shown, *case.claimed, *case.exact, audit.epsilon_low, n, case.scope]
