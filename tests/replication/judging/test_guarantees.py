"""The table of guarantees: no audit contradicts an exact level, and the exact levels hold by other routes."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.random import default_rng

from replication import style
from replication.engine.checking import checked
from replication.engine.task import write_csv
from replication.judging.guarantees.case import Case
from replication.judging.guarantees.draw import broken, draw
from replication.judging.guarantees.settings import PAPERS, Guarantees
from replication.judging.guarantees.table import COLUMNS, audit_case, gather_tables, load_cases, table

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
SETTINGS = replace(checked(Guarantees, CONFIG["guarantees"]), samples=20_000)
EVERY = [case for paper in PAPERS for case in load_cases(paper, getattr(SETTINGS, paper))]
CASES = {f"{case.mechanism} {case.scope} {case.shown_parameters}": case for case in EVERY}
SMALL = replace(SETTINGS, samples=2_000)


def audit(paper: str) -> pd.DataFrame:
    """A paper's table."""
    return table(1, paper, getattr(SMALL, paper), SMALL.samples, SMALL.confidence)


def whole(folder: Path) -> pd.DataFrame:
    """The table as the rules make it: a paper at a time, then gathered."""
    for paper in PAPERS:
        write_csv(folder / f"{paper}.csv", audit(paper))
    return gather_tables(*(str(folder / f"{paper}.csv") for paper in PAPERS))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return whole(tmp_path_factory.mktemp("guarantees"))


def test_the_columns_are_the_promised_ones_and_every_paper_is_there(small: pd.DataFrame) -> None:
    assert list(small.columns) == COLUMNS
    assert set(small["paper"]) == set(PAPERS) <= set(CONFIG["include"])
    assert len(small) == len(CASES)
    assert set(small["scope"]) == {"supremum", "here"}
    assert not small.duplicated(["paper", "mechanism", "parameters"]).any()
    assert not small.isna().any(axis=None)
    assert (small["n"] == 2_000).all()
    assert (small["audited_low"] <= small["exact_epsilon"]).all()
    for paper in PAPERS:
        again = small[small["paper"] == paper].reset_index(drop=True)
        pd.testing.assert_frame_equal(again, audit(paper), check_dtype=False, check_exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_no_audit_contradicts_an_exact_level(case: Case) -> None:
    for seed in range(2):
        low = audit_case(case, seed, 20_000, SETTINGS.confidence)[COLUMNS.index("audited_low")]
        assert low <= case.exact[0]


LEVELS = {
    "randomised_response": [log(1 + 0.5 / (0.5 / 4))], "coordinate_release": [0.5],
    "coordinate_release_products": [0.5, 1.5], "per_value_release": [1.0, 52.0], "region_counts": [inf],
    "release_printed": [2.0, sqrt(31), sqrt(51), sqrt(109)], "release_laplace": [1.0], "release_gamma": [1.0],
    "release_printed_in_1_norm": [1.0],
    "release_geometric": [1.0], "label_response": [1.0], "output_perturbation": [1.0], "label_flips": [log(4)],
    "pixel_flips": [log(0.8 / (0.2 / 255))], "set_membership": [inf, log(0.9 / 0.05), 0.0], "laplace": [0.5, 0.05],
    "laplace_prior": [0.5, 0.05], "geometric": [0.5, 0.05], "scaled_dirichlet": [inf], "scaled_dirichlet_tight": [inf],
    "scaled_dirichlet_public": [0.05], "scaled_dirichlet_tight_fixed_scale": [0.05], "subsample": [0.0],
}  # fmt: skip


def of(mechanism: str, scope: str = "supremum") -> list[Case]:
    return [case for case in CASES.values() if (case.mechanism, case.scope) == (mechanism, scope)]


@pytest.mark.parametrize(("mechanism", "levels"), LEVELS.items())
def test_suprema_by_hand(mechanism: str, levels: list[float]) -> None:
    assert [case.exact[0] for case in of(mechanism)] == pytest.approx(levels, abs=1e-6)


def test_what_our_classes_say_of_themselves_agrees_with_other_routes() -> None:
    for name in ("label_flips", "pixel_flips", "image_flips", "gaussian_inputs", "gaussian_analytic"):
        for case in of(name):
            assert case.exact[0] == pytest.approx(case.claimed[0], rel=1e-7)
            assert case.exact[1] == pytest.approx(case.claimed[1], rel=1e-5, abs=1e-12)


def test_levels_and_leaks_tell_the_same_story() -> None:
    """A mechanism needs more ε than it claims exactly when it needs more δ."""
    for case in CASES.values():
        if case.claimed[1] > 0:
            more_level = case.exact[0] > case.claimed[0] + 1e-6
            assert more_level == (case.exact[1] > case.claimed[1] * (1 + 1e-6)), case.mechanism


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.claimed[1] > 0])
def test_simulated_losses_confirm_the_exact_delta(name: str) -> None:
    """No event found by an audit aimed at δ leaks more than the exact δ at the claimed ε."""
    from unveil.privacy.audit import audit_release

    case = CASES[name]
    n = 40_000 if np.size(case.here) < 100 else 10_000  # of pictures fewer
    audit = audit_release(case.release, case.here, case.there, n=n, rng=default_rng(4), log_ratio=case.log_ratio)
    assert audit.delta_low(case.claimed[0]) <= case.exact[1]


def test_the_neighbours_differ_as_they_should() -> None:
    for case in CASES.values():
        assert np.shape(case.here) == np.shape(case.there)
        assert not np.array_equal(case.here, case.there)
        if case.mechanism == "set_membership":
            assert np.count_nonzero(np.asarray(case.here) != case.there) == 1
        elif case.paper == "class_ratio":
            assert sorted((case.there - case.here)[case.there != case.here]) == [-1, 1]


def test_one_counterexample_breaks_a_guarantee(small: pd.DataFrame) -> None:
    lost = broken(small)
    expected = {"release_printed", "scaled_dirichlet", "scaled_dirichlet_tight", "fallback"}
    assert set(small["mechanism"][lost]) == expected
    assert lost[small["mechanism"].isin(expected)].all()
    kept = (small["exact_delta"] <= small["claimed_delta"]) & lost
    assert set(small["scope"][kept & (small["mechanism"] == "scaled_dirichlet")]) == {"here"}


def test_the_figure_names_every_row_and_draws_any_table(small: pd.DataFrame) -> None:
    with style.applied():
        figure = draw(small)
        names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert len(set(names)) == len(small)
        assert "scaled dirichlet  9 × 150 + 1650" in names
        assert draw(small[small["paper"] == "spread"]).axes[0].get_lines()
