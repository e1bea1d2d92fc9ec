"""Files that are whole or not there, and whose damage is noticed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from replication.arrays import Key
from replication.engine import storage
from replication.engine.seal import seal_of
from replication.engine.storage import load_array, load_json, load_trials, replacing, save_array, save_json, save_trials
from unveil.errors import UnveilError

arrays: st.SearchStrategy[np.ndarray] = hnp.arrays(
    st.sampled_from([np.dtype(kind) for kind in ("f8", "f4", "i2", "?", "U3")]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0),
)
words = st.text("abc_.-", min_size=1)
names = words | st.lists(words | st.integers(0, 99), min_size=2, max_size=4).map(tuple)
trials = st.dictionaries(st.integers(0, 99), st.dictionaries(names, arrays, min_size=1), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(trials)
def test_trials_come_back_as_they_were(tmp_path: Path, named: dict[int, dict[Key, np.ndarray]]) -> None:
    save_trials(tmp_path / "x.npz", named)
    back = load_trials(tmp_path / "x.npz")
    assert back.keys() == named.keys()
    for trial, content in named.items():
        assert back[trial].keys() == content.keys()
        for name, array in content.items():
            np.testing.assert_array_equal(back[trial][name], array)
            assert back[trial][name].dtype == array.dtype


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        save_trials(tmp_path / name, {0: {"x": np.arange(5)}})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@given(st.integers(0, 10**6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
def test_no_flipped_bit_of_the_data_goes_unnoticed(tmp_path: Path, position: int) -> None:
    path = tmp_path / "x.npz"
    values = np.random.default_rng(0).random(50)
    save_trials(path, {0: {"x": values}})
    content = bytearray(path.read_bytes())
    start = content.find(values.tobytes())
    content[start + position % values.nbytes] ^= 1 << position % 8
    path.write_bytes(content)
    with pytest.raises(UnveilError, match="is damaged"):
        load_trials(path)


def test_objects_are_refused_on_both_ways(tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match="'x' is not an array of numbers"):
        save_trials(tmp_path / "x.npz", {0: {"x": np.array([{}], dtype=object)}})
    hidden: Any = np.zeros(1, dtype=[("a", object)])
    with pytest.raises(ValueError, match="Object arrays"):
        save_trials(tmp_path / "x.npz", {0: {"x": hidden}})
    with pytest.raises(ValueError, match="Object arrays"):
        save_array(tmp_path / "x.npy", np.array([{}], dtype=object))
    assert list(tmp_path.iterdir()) == []
    np.save(tmp_path / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UnveilError, match="is damaged"):
        load_array(tmp_path / "pickled.npy")
    pickled: dict[str, Any] = {"0/x": hidden}
    np.savez(tmp_path / "pickled.npz", **pickled)
    with pytest.raises(UnveilError, match=r"is damaged \(objects are never loaded\)"):
        load_trials(tmp_path / "pickled.npz")


def test_an_error_while_writing_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    save_json(path, {"a": 1})

    def write_half() -> None:
        with replacing(path) as draft:
            draft.write_text("{", encoding="utf-8")
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_half()
    assert load_json(path) == {"a": 1}
    assert set(tmp_path.iterdir()) == {path, seal_of(path)}


def test_a_seal_takes_its_place_before_its_file_and_an_orphan_writes_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a file that a crash left without its seal would count as an edit that somebody means to keep."""
    path, events = tmp_path / "x.json", []
    replace = Path.replace

    def noted(self: Path, target: Path) -> Path:
        events.append(target)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    monkeypatch.setattr(storage, "require_run", lambda: events.append(Path("the run is asked for")))
    save_json(path, {"a": 1})
    assert events == [Path("the run is asked for"), seal_of(path), path]

    def ended() -> None:
        raise SystemExit(1)

    monkeypatch.setattr(storage, "require_run", ended)
    with pytest.raises(SystemExit):
        save_json(path, {"a": 2})
    assert load_json(path) == {"a": 1}
    assert set(tmp_path.iterdir()) == {path, seal_of(path)}


def test_json_has_one_spelling_and_no_nan(tmp_path: Path) -> None:
    save_json(tmp_path / "a.json", {"b": 1, "a": [2]})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        save_json(tmp_path / "b.json", {"a": float("nan")})
    assert not (tmp_path / "b.json").exists()


def test_a_field_takes_no_memory_until_it_is_used(tmp_path: Path) -> None:
    save_array(tmp_path / "x.npy", np.arange(5))
    loaded = load_array(tmp_path / "x.npy")
    assert isinstance(loaded, np.memmap)
    assert not loaded.flags.writeable


def test_arrays_of_either_order_and_of_the_second_format_are_read(tmp_path: Path) -> None:
    across = np.asfortranarray(np.arange(6).reshape(2, 3))
    save_trials(tmp_path / "x.npz", {0: {"x": across}})
    np.testing.assert_array_equal(load_trials(tmp_path / "x.npz")[0]["x"], across)
    np.testing.assert_array_equal(load_trials(archive(tmp_path, version=(2, 0)))[0]["x"], np.arange(4))


def archive(folder: Path, cut: int = 0, times: int = 1, version: tuple[int, int] = (1, 0)) -> Path:
    """One array as a member of an archive: so many bytes short, and so many times."""
    whole = io.BytesIO()
    np.lib.format.write_array(whole, np.arange(4), version=version)
    with zipfile.ZipFile(folder / "y.npz", "w") as packed:
        for _ in range(times):
            packed.writestr("0/x.npy", whole.getvalue()[: len(whole.getvalue()) - cut])
    return folder / "y.npz"


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"cut": 8}, "a header does not fit its array"), ({"times": 2}, "two members have the same name")],
)
def test_an_archive_that_contradicts_itself_says_so(tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UnveilError, match=rf"is damaged \({said}\)"):
        load_trials(archive(tmp_path, **wrong))
