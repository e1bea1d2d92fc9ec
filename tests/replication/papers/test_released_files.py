"""What owners release: exact values apart from noised ones, and of each thing what no other thing has a say in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields as fields_of
from dataclasses import replace
from functools import cache
from inspect import getsource
from typing import Any

import numpy as np
import pytest
import yaml
from tools.configuration import shipped

from project import ROOT, merged
from replication.arrays import Key, Named, Released, Values, split_exact
from replication.data.scaling import unit_rows
from replication.engine.plan import Arm, plan
from replication.randomness import Trial
from stages import module, planned
from unveil.errors import UnveilError
from unveil.protocols.base import Release
from unveil.types import Array

#: Who is in which set, and which records are meant: published by design, without noise and beside it.
MEMBERS = {"train", "validation", "tests", "test", "pool"}
#: Figures without any noise: counts of tags in windows, and class ratios of sets as they are.
WITHOUT_NOISE = ("linear_moments/fig7", "linear_moments/today_tags", "class_ratio/fig2")
#: Figures that release exact values for comparison.
COMPARING = {
    "class_ratio/fig3", "class_ratio/skew", "class_ratio/set_sizes", "class_ratio/membership", "class_ratio/theory",
    "mean_operator/release", "mean_operator/proportions", "mean_operator/reconstruction", "mean_operator/today",
    "linear_moments/fig6", "crossover/epsilon",
}  # fmt: skip
RECORDS = 24_000
CLASSES = {"mnist": 10, "acoustic": 3, "twitter": 3}


@cache
def owners() -> dict[str, Arm]:
    """Every owner of the sample's configuration that adds noise, by `<paper>/<figure>/<arm>`."""
    config = shipped(ROOT)
    for part in sorted((ROOT / "profiles/sample").glob("*.yaml")):
        if part.name != "config.yaml":
            config = merged(config, yaml.safe_load(part.read_text(encoding="utf-8")))
    sources = yaml.safe_load((ROOT / "data/sources.yaml").read_text(encoding="utf-8"))
    figures = plan(config, {name: entry["fields"] for name, entry in sources.items()})
    return {
        f"{paper}/{name}/{arm}": owner
        for (paper, name), figure in figures.items()
        for arm, owner in figure.release.items()
        if not f"{paper}/{name}".startswith(WITHOUT_NOISE)
    }


@cache
def field(dataset: str, name: str, seed: int) -> Array:
    """A small field of the right kind; another seed gives private values of other records."""
    public = np.random.default_rng([7, *f"{dataset}/{name}".encode()])
    private = np.random.default_rng([seed, *f"{dataset}/{name}".encode()])
    if "labels" in name:
        classes = CLASSES.get(dataset, 2)
        labels: Array = private.permutation(np.arange(RECORDS) % (2 if "sevens" in name else classes))
        return (2 * labels - 1 if "sevens" in name else labels).astype(np.int8)
    if "split" in name:
        return (np.arange(RECORDS) % 2).astype(np.uint8)
    if "images" in name:
        return public.integers(0, 256, (RECORDS, 100)).astype(np.uint8)
    if "unit" in name or "sevens" in name:
        return unit_rows(public.random((RECORDS, 3)))
    return private.random(RECORDS if "target" in name else (RECORDS, 3))


def released(place: str, owner: Arm, data: int, noise: int) -> Named:
    paper, figure, arm = place.split("/")
    trial, other = (Trial(seed, paper, figure, "release", arm, 0) for seed in (1, noise))
    object.__setattr__(trial, "_states", {**trial._states, "own": other._states["own"]})
    fields: dict[str, dict[str, Array]] = {}
    for dataset, name in owner.fields:
        fields.setdefault(dataset, {})[name] = field(dataset, name, data)
    found: Named = module(f"{paper}.{figure}", "release").release(fields, trial, owner.settings)
    return found


def arrays_of(values: Values) -> dict[Key, Array]:
    """Releases as their arrays, each under a name of its own."""
    found: dict[Key, Array] = {}
    for name, value in values.items():
        where = name if isinstance(name, tuple) else (name,)
        own = value.arrays if isinstance(value, Release) else None
        found |= {name: value} if own is None else {(*where, part): array for part, array in own.items()}
    return found


def exact_rows(here: Named, same_data: Named, same_noise: Named) -> Iterator[Key]:
    """Names of arrays with a row that the noise does not reach, although the private data do.

    Sets of the paper's design have the same counts whatever the labels: their exact shares are known by their name.
    """
    for name in here:
        if "none" in name:
            yield name
        value, again, elsewhere = (np.asarray(each[name]) for each in (here, same_data, same_noise))
        if elsewhere.shape == value.shape and not MEMBERS & set(name if isinstance(name, tuple) else (name,)):
            axis = -1 if value.ndim else None
            still = (value == again).all(axis=axis) & ~(value == elsewhere).all(axis=axis)
            if np.any(still):
                yield name


@pytest.mark.parametrize("place", owners())
def test_no_file_mixes_exact_and_noised_values(place: str) -> None:
    owner = owners()[place]
    runs = [released(place, owner, data, noise) for data, noise in ((1, 1), (1, 2), (2, 1))]
    noised = [arrays_of(split_exact(run)[0]) for run in runs]
    assert list(exact_rows(*noised)) == []
    assert bool(split_exact(runs[0])[1]) == (place.rpartition("/")[0] in COMPARING)


def test_a_mixed_file_would_be_seen() -> None:
    for place, names in (
        ("class_ratio/skew/sets", {(dataset, k, "proportions", 0, "none") for dataset in CLASSES for k in range(2)}),
        ("mean_operator/reconstruction/census", {"exact"}),
        ("crossover/epsilon/labels", {(d, "veiled", 2) for d in ("census", "mnist", "breast_cancer")}),
    ):
        mixed = [released(place, owners()[place], data, noise) for data, noise in ((1, 1), (1, 2), (2, 1))]
        assert set(exact_rows(*mixed)) == names


def reordered(settings: Any) -> Any:
    """The same data sets in another order."""
    values = {each.name: getattr(settings, each.name) for each in fields_of(settings)}
    mixed = {name: dict(reversed(value.items())) for name, value in values.items() if isinstance(value, dict)}
    if "datasets" in values:
        mixed["datasets"] = values["datasets"][::-1]
    return replace(settings, **mixed)


@pytest.mark.parametrize("place", [place for place, owner in owners().items() if len(owner.reads) > 1])
def test_what_is_drawn_for_a_data_set_hangs_on_no_other(place: str) -> None:
    owner = owners()[place]
    turned = replace(owner, reads=dict([*owner.reads.items()][::-1]), settings=reordered(owner.settings))
    found, again = (arrays_of(released(place, each, 1, 1)) for each in (owner, turned))
    assert found.keys() == again.keys()
    assert all(np.array_equal(found[name], again[name]) for name in found)


def test_what_is_drawn_at_a_level_hangs_on_no_other() -> None:
    owner = owners()[place := "linear_moments/fig6/small"]
    protocol = next(iter(owner.settings.protocols.values()))
    *_, last = levels = protocol.levels
    few = replace(protocol, levels=(protocol.growth_level, last))
    runs = [
        released(place, replace(owner, settings=replace(owner.settings, protocols={"housing": each})), 1, 1)
        for each in (protocol, few)
    ]
    whole, part = map(arrays_of, runs)
    places: dict[Any, Any] = {"levels": (levels.index(protocol.growth_level), len(levels) - 1), "growth": range(9)}
    for key, array in part.items():
        assert isinstance(key, tuple)
        *start, panel, i, name = key
        np.testing.assert_array_equal(array, whole[(*start, panel, places[panel][i], name)])


def test_no_stage_of_several_data_sets_draws_from_one_stream_for_all() -> None:
    for (paper, name), figure in planned().items():
        for place, arm in figure.arms.items():
            source = module(f"{paper}.{name}", stage := place.partition(".")[0])
            alone = len({*arm.reads, *arm.peeks}) < 2
            assert alone or not re.search(r"trial\.rng\b", getsource(source)), f"{paper}/{name}: {stage}"


def test_what_is_exact_and_what_is_noised_have_names_of_their_own() -> None:
    with pytest.raises(UnveilError, match="names of their own"):
        Released({"mu": np.zeros(1)}, {"mu": np.ones(1)})
