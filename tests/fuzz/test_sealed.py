"""A right checksum makes no lie true: what nobody could have published is refused in one line, and nothing crashes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from tests.fuzz.harness import EFFORT, little_memory
from tests.fuzz.sealed import kinds, sealed, try_lie

from unveil.command.inspecting import inspect
from unveil.errors import UnveilError
from unveil.protocols.base import Release
from unveil.types import Array

#: Lies about each kind: 20,000 in a long run.
LIES = 20_000 if EFFORT > 1 else 60


@pytest.mark.parametrize("name", kinds())
def test_a_sealed_lie_is_refused_in_a_line_or_harmless(name: str, tmp_path: Path) -> None:
    kind, path = kinds()[name], tmp_path / "sealed"
    assert try_lie(kind, None, path) == "", "a good file was refused"
    with little_memory():
        for seed in range(LIES):
            try_lie(kind, default_rng(seed), path)


def shift(array: Array) -> Array:
    """One number a little less, and the next more: sums stay."""
    changed = array.copy()
    changed.reshape(-1)[:2] += np.array([-1000, 1000]).astype(array.dtype)
    return changed


#: Of which release, what entry, its new value or what makes it, and what is said.
BY_HAND: dict[str, tuple[str, str, Any, str]] = {
    "negative tallies": ("exact products", "targets", shift, "targets must lie between 0 and 60"),
    "tallies of other records": ("exact products", "records", 61, "must tally 61 records"),
    "a negative variance": ("exact operator", "variance", shift, "variance must lie between 0"),
    "proportions of −5": ("exact counts", "proportions", shift, "proportions must lie between 0 and 1"),
    "a level of 0": ("exact products", "exact_epsilon", 0.0, "exact_epsilon must be what follows"),
    "a level that is claimed": ("exact counts", "claimed_epsilon", 0.1, "claimed_epsilon must be what follows"),
    "a level below the noise": ("states", "exact_epsilon", 1.0, "exact_epsilon must be what follows"),
    "less noise than there is": ("exact counts", "noise", lambda noise: noise / 2, "noise must be what follows"),
    "bits that say more": ("products", "slope_pair", 0.9, "slope_pair must be what follows"),
    "a δ above one": ("tags", "exact_delta", 2.0, "from 0 to 1 as its exact_delta"),
    "labels beyond the classes": ("states", "labels", lambda own: own + 1, "labels must lie between 0 and 1"),
    "windows outside their sentences": ("tags", "start", lambda start: start + 4, "must lie within lengths"),
    "more tags than words": ("tags", "counts", lambda own: own + 1, "as many as the windows have words"),
}  # fmt: skip


@pytest.mark.parametrize("lie", BY_HAND)
def test_what_nobody_could_have_published_is_refused(lie: str, tmp_path: Path) -> None:
    kind, name, new, message = BY_HAND[lie]
    header, arrays = copy.deepcopy(kinds()[f"release: {kind}"].header), dict(kinds()[f"release: {kind}"].arrays)
    place: Any = arrays if name in arrays else header if name in header else header["parameters"]
    place[name] = new(place[name]) if callable(new) else new
    (tmp_path / "r").write_bytes(sealed(header, arrays))
    with pytest.raises(UnveilError, match=message):
        Release.load(tmp_path / "r")


def test_an_index_beyond_the_weights_is_none(tmp_path: Path) -> None:
    """Compiled code read what lies behind the weights; now the places are made from the words."""
    good = kinds()["model: tags, CountTagger"]
    assert "feature_index_" not in good.header["state"]
    for more in (-1, 1):
        coef = np.resize(good.arrays["coef_"], (len(good.arrays["coef_"]) + more, 2))
        (tmp_path / "m").write_bytes(sealed(good.header, {**good.arrays, "coef_": coef}))
        with pytest.raises(UnveilError, match="coef_ must have the shape"):
            good.use(tmp_path / "m")


def test_names_do_not_move_the_cursor(tmp_path: Path) -> None:
    """One hid the line that says that a release is simulated."""
    good, evil = kinds()["release: exact operator"], "no\x1b[2K\u202e\nrandomness     the operating system's"
    header = {**good.header, "mechanism": evil, "parameters": {**good.header["parameters"], "classes": [evil, "yes"]}}
    (tmp_path / "r").write_bytes(sealed(header, good.arrays))
    said = inspect(tmp_path / "r").split("\n")
    assert all(line.isprintable() for line in said)
    assert [line for line in said if line.startswith("randomness")] == [inspect_line(tmp_path)]
    assert any("stated by its owner" in line for line in said)


def inspect_line(folder: Path) -> str:
    good = kinds()["release: exact operator"]
    (folder / "good").write_bytes(sealed(good.header, good.arrays))
    return next(line for line in inspect(folder / "good").split("\n") if line.startswith("randomness"))
