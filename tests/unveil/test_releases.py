"""The file of the two-agent protocol: it says what it promises, and tells when it is not what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from unveil.errors import UnveilError
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.releases import MeanOperator, fingerprint


def released(seed: int = 0) -> tuple[np.ndarray[Any, Any], MeanOperator]:
    rng = default_rng(seed)
    X = rng.normal(size=(30, 4))
    X /= np.linalg.norm(X, axis=1).max()
    return X, MeanOperator.released(X, rng.choice([-1, 1], 30), MeanOperatorRelease(0.5, "printed"), rng)


def saved(folder: Path) -> Path:
    path = folder / "r.json"
    path.unlink(missing_ok=True)
    released()[1].save(path)
    return path


def test_a_file_comes_back_bit_for_bit(tmp_path: Path) -> None:
    X, operator = released()
    operator.save(tmp_path / "r.json")
    back = MeanOperator.load(tmp_path / "r.json")
    assert back == operator
    assert np.array_equal(back.statistic(X), operator.value)
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_the_file_states_the_claimed_and_the_true_level() -> None:
    X, operator = released()
    assert operator.claimed_epsilon == 0.5
    assert operator.true_epsilon == pytest.approx(0.5 * np.abs(X).sum(axis=1).max())
    assert operator.true_epsilon > operator.claimed_epsilon


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), cut=st.booleans(), byte=st.integers(33, 126))
def test_any_truncation_or_altered_byte_is_noticed(tmp_path: Path, where: float, cut: bool, byte: int) -> None:
    path = saved(tmp_path)
    data = bytearray(path.read_bytes())
    at = int(where * (len(data) - 1))  # the last byte is the end of the line
    if cut:
        del data[at:]
    elif data[at] in b" \n" or data[at] == byte:
        return  # white space means nothing in this format
    else:
        data[at] = byte
    path.write_bytes(bytes(data))
    with pytest.raises(UnveilError, match=r"r\.json"):
        MeanOperator.load(path)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda c: c.update(value=[0.0] * 4), "altered"),
        (lambda c: c.update(claimed_epsilon=0.01), "altered"),
        (lambda c: c.pop("sha256"), "no checksum"),
    ],
)
def test_an_edited_file_is_refused(tmp_path: Path, edit: Callable[[dict[str, Any]], Any], message: str) -> None:
    path = saved(tmp_path)
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    with pytest.raises(UnveilError, match=message):
        MeanOperator.load(path)


def test_files_that_are_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with pytest.raises(UnveilError, match="cannot read"):
        MeanOperator.load(path)
    for content in (b"[1, 2]", b"", b"no json", b'{"sha256": "0"}', b"\xff\xfe\x00"):
        path.write_bytes(content)
        with pytest.raises(UnveilError, match=r"r\.json"):
            MeanOperator.load(path)


def test_features_must_be_those_of_the_release() -> None:
    X, operator = released()
    other = X.copy()
    other[3, 2] = np.nextafter(other[3, 2], 1)
    with pytest.raises(UnveilError, match="other values"):
        operator.statistic(other)
    with pytest.raises(UnveilError, match=r"shape \(30, 4\), got \(30, 3\)"):
        operator.statistic(X[:, :3])
    assert fingerprint(np.asfortranarray(X)) == fingerprint(X)
    assert fingerprint(np.array([[0.0, 1.0]])) == fingerprint(np.array([[-0.0, 1.0]]))
    assert fingerprint(np.ones((2, 3))) != fingerprint(np.ones((3, 2)))


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match="cannot write"):
        released()[1].save(tmp_path / "missing" / "r.json")
