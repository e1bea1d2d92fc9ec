"""Release files of all protocols: they come back, or are refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from small_releases import LEARNED, PUBLISHED, SHARDS, merged, released
from unveil import containers
from unveil.errors import UnveilError
from unveil.files import create
from unveil.protocols.base import Release
from unveil.types import Array

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.mark.parametrize("kind", PUBLISHED)
def test_a_release_comes_back_from_its_file(kind: str, tmp_path: Path) -> None:
    shards = released(kind)
    for name, release in (("one", shards[0]), ("all", merged(shards, [0, 1, 0]))):
        release.save(tmp_path / name)
        back = Release.load(tmp_path / name)
        assert back.checksum == release.checksum
        assert back.shards == release.shards
        for field in ("protocol", "mechanism", "records", "exact_epsilon", "claimed_epsilon", "randomness", "rows"):
            assert getattr(back, field) == getattr(release, field)
    order = list(range(SHARDS))
    np.testing.assert_array_equal(LEARNED[kind](back, order), LEARNED[kind](release, order))
    with pytest.raises(UnveilError, match="exists, and is not overwritten"):
        release.save(tmp_path / "one")


def forged(path: Path, change: Callable[[dict[str, Any]], Any], **arrays: Array) -> Path:
    """A file whose checksum is right."""
    release = released("mean-operator")[0]
    header = json.loads(json.dumps(release.describe()))
    change(header)
    create(path, containers.content_of(header, {**release.arrays, **arrays}))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.update(protocol="telepathy"), "unknown protocol"),
        (lambda h: h.update(protocol="records"), "does not hold"),
        (lambda h: h.update(records=-1), "records"),
        (lambda h: h.update(records=True), "records"),
        (lambda h: h.update(exact_epsilon=-1.0), "exact_epsilon"),
        (lambda h: h.update(exact_delta="much"), "exact_delta"),
        (lambda h: h.update(scope="nowhere"), "scope"),
        (lambda h: h.update(randomness="dice"), "randomness"),
        (lambda h: h.update(rows=5), "rows"),
        (lambda h: h.update(shards=[[1, "x"]]), "records, content and rows"),
        (lambda h: h.update(shards=[[1, "x", "y"]]), "records, content and rows"),
        (lambda h: h.update(parameters=[]), "named parameters"),
        (lambda h: h["parameters"].pop("classes"), "must say classes"),
        (lambda h: h["parameters"].update(dimension=4), "sum must have the shape"),
        (lambda h: h["parameters"].update(dimension=3.5), "a whole number from 1 to 2147483648 as its dimension"),
        (lambda h: h["parameters"].update(intercept="no"), "intercept"),
        (lambda h: h["parameters"].update(classes="ab"), "classes must be a list of different names"),
        (lambda h: h.update(format="unveil release 99"), "format"),
        (lambda h: h.update(more=1), "exactly"),
        (lambda h: h.pop("scope"), "exactly"),
    ],
)
def test_a_forged_header_is_refused(change: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match=message) as caught:
        Release.load(forged(tmp_path / "r", change))
    assert "\n" not in str(caught.value)


def test_forged_arrays_are_refused(tmp_path: Path) -> None:
    for k, wrong in enumerate((np.full(3, np.nan), np.array([1.0, np.inf, 0.0]))):
        with pytest.raises(UnveilError, match="finite numbers"):
            Release.load(forged(tmp_path / f"{k}", lambda h: h, sum=wrong))
    with pytest.raises(UnveilError, match="sum must have the shape"):
        Release.load(forged(tmp_path / "shape", lambda h: h, sum=np.ones((3, 3))))


def test_nothing_that_can_be_run_is_read(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(pickle.dumps({"format": "unveil release 1"}))
    with pytest.raises(UnveilError, match="no release file"):
        Release.load(tmp_path / "r")
    np.savez(tmp_path / "r.npz", sum=np.array([{}], dtype=object))
    with pytest.raises(UnveilError, match="no release file"):
        Release.load(tmp_path / "r.npz")


def test_arrays_of_another_byte_order_make_the_same_file(tmp_path: Path) -> None:
    release = released("mean-operator")[0]
    turned = replace(release, arrays={name: array.astype(">f8") for name, array in release.arrays.items()})
    turned.save(tmp_path / "turned")
    release.save(tmp_path / "native")
    assert (tmp_path / "turned").read_bytes() == (tmp_path / "native").read_bytes()
    np.testing.assert_array_equal(Release.load(tmp_path / "turned").arrays["sum"], release.arrays["sum"])
