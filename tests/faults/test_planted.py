"""Mistakes that once got through are planted again, one at a time, and the tests that have to find them are run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from project import ROOT

pytestmark = pytest.mark.faults


class Mistake(NamedTuple):
    """In a file of `src`, `right` becomes `wrong`, and the test must fail."""

    file: str
    right: str
    wrong: str
    test: str


_MECHANISMS, _ENGINE = "tests/unveil/mechanisms", "tests/replication/engine"
MISTAKES = {
    "the largest entry in place of the 1-norm, with simulated noise": Mistake(
        "unveil/mechanisms/mean_operator.py",
        "np.linalg.norm(inside, ord=self.norm_order, axis=1).max()",
        "np.abs(inside).max()",
        f"{_MECHANISMS}/test_publish.py::test_levels_of_sums_are_those_of_the_mechanism",
    ),
    "the largest entry in place of the 1-norm, of records that come in batches": Mistake(
        "unveil/mechanisms/operator_tally.py",
        "norm = _total(doubles)",
        "norm = doubles.max()",
        f"{_MECHANISMS}/test_operator_tally.py::test_sums_are_whole_and_do_not_depend_on_the_cut",
    ),
    "a constant that costs nothing": Mistake(
        "unveil/mechanisms/operator_tally.py",
        "self.widest + one, np.append",
        "self.widest, np.append",
        f"{_MECHANISMS}/test_operator_tally.py::test_the_noise_of_a_release_is_that_of_the_largest_1_norm",
    ),
    "a tiny bias above a thousand": Mistake(
        "unveil/mechanisms/exact_sampling.py",
        "        found[wanted] = drawn\n        wanted = wanted[drawn > n - 1]",
        "        found[wanted] = np.minimum(drawn, n - 1)\n        wanted = wanted[(drawn > n - 1) & (n <= 1000)]",
        f"{_MECHANISMS}/test_exact_sampling.py::test_uniform_numbers_of_any_size_are_the_leading_bits_or_nothing",
    ),
    "half the threshold": Mistake(
        "unveil/estimators/moments/noisy_moments.py",
        "max(2 * noise * np.sqrt(d), rounding)",
        "max(noise * np.sqrt(d), rounding)",
        "tests/unveil/estimators/moments/test_regression.py::test_what_the_spectrum_is_replaced_by",
    ),
    "one variance for all inputs": Mistake(
        "unveil/estimators/spread/noise_parameters.py",
        "noisy.var(axis=0, dtype=float)",
        "noisy.var(dtype=float)",
        "tests/unveil/estimators/test_metamorphic.py::test_units_and_order_of_features_are_those_of_their_weights",
    ),
    "an intercept's place in the intervals": Mistake(
        "unveil/estimators/linear.py",
        "np.append(self.coef_, self.intercept_)",
        "np.append(self.intercept_, self.coef_)",
        "tests/unveil/estimators/test_metamorphic.py::test_units_and_order_of_features_are_those_of_their_weights",
    ),
    "squares and products change places": Mistake(
        "unveil/numerics/products.py",
        "np.where(rows == columns, 0.0, twice)",
        "np.where(rows != columns, 0.0, twice)",
        "tests/unveil/estimators/moments/test_product_releases.py",
    ),
    "an orphan's result takes its place": Mistake(
        "replication/engine/storage.py",
        "        require_run()\n",
        "",
        f"{_ENGINE}/test_storage.py::test_a_seal_takes_its_place_before_its_file_and_an_orphan_writes_neither",
    ),
    "a file before its seal": Mistake(
        "replication/engine/storage.py",
        "        yield draft\n        require_run()\n        seal(draft, target)\n",
        "        yield draft\n        require_run()\n        content = draft.read_bytes()\n"
        "        draft.replace(target)\n        draft.write_bytes(content)\n        seal(draft, target)\n",
        f"{_ENGINE}/test_storage.py::test_a_seal_takes_its_place_before_its_file_and_an_orphan_writes_neither",
    ),
    "a private total published": Mistake(
        "unveil/mechanisms/published_counts.py",
        'self.neighbours == "unbounded"',
        "False",
        f"{_MECHANISMS}/test_exact_mechanisms.py::test_shares_of_a_private_total_follow_from_noisy_counts_alone",
    ),
    "overspending": Mistake(
        "unveil/ledger.py",
        "if total > limit * (1 + 1e-12)",
        "if total > limit * (1 + 1e-2)",
        "tests/unveil/test_ledger.py::test_ten_tenths_fill_a_budget_of_one",
    ),
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's code and tests."""
    place = tmp_path_factory.mktemp("planted")
    for name in ("src", "tests", "tools", "docs", "config", "workflow", "requirements"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "gallery", "_site"))
    for name in ("pyproject.toml", "config.yaml"):
        shutil.copy(ROOT / name, place / name)
    return place


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_found(name: str, copied: Path) -> None:
    mistake = MISTAKES[name]
    path = copied / "src" / mistake.file
    sound = path.read_text(encoding="utf-8")
    assert sound.count(mistake.right) == 1, "the code has changed: plant the mistake where it belongs now"
    path.write_text(sound.replace(mistake.right, mistake.wrong), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", mistake.test]
        environment = os.environ | {"PYTHONPATH": str(copied / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, check=False)
    finally:
        path.write_text(sound, encoding="utf-8")
    assert ended.returncode == 1, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert "FAILED" in ended.stdout
