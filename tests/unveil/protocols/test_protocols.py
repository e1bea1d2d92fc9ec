"""Releases of all protocols: shards that merge, and estimators that take them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy import sparse

import unveil
from refusals import refused
from small_releases import BAGS, LEARNED, PUBLISHED, SHARDS, WORDS, X, Y, merged, part, ratios, released
from unveil.errors import UnveilError
from unveil.protocols.base import Release

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.mark.parametrize("kind", PUBLISHED)
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 5), min_size=SHARDS - 1, max_size=SHARDS - 1), turned=st.booleans())
def test_shards_merged_in_any_way_give_the_same_fit(kind: str, cuts: list[int], turned: bool) -> None:
    shards, order = released(kind), list(range(SHARDS))
    expected = LEARNED[kind](merged(shards, [0, 0, 0]), order)
    if turned and kind.partition(" ")[0] in ("mean-operator", "products", "moments"):  # sums do not mind the order
        shards, order = shards[::-1], order[::-1]
    whole = merged(shards, cuts)
    assert_allclose(LEARNED[kind](whole, order), expected, rtol=1e-9, atol=1e-9)
    assert whole.records == sum(shard.records for shard in shards)
    assert [piece.content for piece in whole.pieces] == [shard.checksum for shard in shards]


def test_the_noise_of_a_merged_sum_is_that_of_all_its_parts() -> None:
    shards = released("mean-operator")
    whole = merged(shards, [2, 1, 0])
    assert_allclose(whole.arrays["variance"], sum(shard.arrays["variance"] for shard in shards))
    # Each shard's scale is the same, so four shards have the variance of four times the noise.
    assert_allclose(whole.arrays["variance"], 4 * shards[0].arrays["variance"])
    alone = unveil.MeanOperatorRelease(5.0, "laplace", 2.0).publish((X, Y), default_rng(0))
    one, four = (unveil.MeanOperatorClassifier().fit(release, X).l2_ for release in (alone, whole))
    assert four > one
    # By hand: κ/2·(σ + 1/m) for records of norm one, κ = 1/4 for the logistic loss.
    longest, m = (X**2).sum(axis=1).max(), len(X)
    sigma = np.sqrt(whole.arrays["variance"][0] / longest) / m
    assert four == pytest.approx((sigma + 1 / m) / 8 * longest)


def named(k: int, names: list[str]) -> Release:
    release = ratios(k, default_rng(k))
    return replace(release, parameters={**release.parameters, "sets": names})


def test_names_of_sets_belong_to_the_rows(tmp_path: Path) -> None:
    whole = named(0, ["a", "b"]).merge(named(1, ["d", "c"])).merge(named(2, ["e", "f"]))
    assert whole.parameters["sets"] == ["a", "b", "d", "c", "e", "f"]
    assert len(whole.arrays["sizes"]) == 6
    bare = ratios(0, default_rng(0)).merge(ratios(1, default_rng(1))).merge(ratios(2, default_rng(2)))
    assert {k: v for k, v in whole.parameters.items() if k != "sets"} == bare.parameters
    whole.save(tmp_path / "r")
    assert Release.load(tmp_path / "r").merge(named(3, ["g", "h"])).parameters["sets"][-3:] == ["f", "g", "h"]
    with pytest.raises(UnveilError, match=r"different sets: \['b'\] is in both"):
        named(0, ["a", "b"]).merge(named(1, ["b", "c"]))
    with pytest.raises(UnveilError, match="only one of the releases names its sets"):
        named(0, ["a", "b"]).merge(ratios(1, default_rng(1)))
    with pytest.raises(UnveilError, match="same parameters"):
        named(0, ["a", "b"]).merge(replace(named(1, ["c", "d"]), parameters={"sets": ["c", "d"]}))
    for k, names in enumerate((["a"], ["a", "a"], ["a", 1], "ab")):
        replace(named(0, []), parameters={**ratios(0, default_rng(0)).parameters, "sets": names}).save(
            tmp_path / f"{k}"
        )
        with pytest.raises(UnveilError, match="each of its sets a name of its own"):
            Release.load(tmp_path / f"{k}")


def test_what_is_merged_must_be_about_different_records() -> None:
    for kind in PUBLISHED:
        one = released(kind)[0]
        with pytest.raises(UnveilError, match="about different records"):
            one.merge(one)
    with pytest.raises(UnveilError, match="the same rows twice"):
        released("mean-operator", 1)[0].merge(released("mean-operator", 2)[0])
    first, second = released("mean-operator")[:2]
    seeded = first.merge(replace(second, randomness="os", exact_epsilon=9.0, scope="here"))
    assert (seeded.randomness, seeded.exact_epsilon, seeded.scope) == ("seeded", 9.0, "here")


def test_rows_are_looked_at_whatever_they_are_kept_in() -> None:
    release = released("mean-operator")[0]
    here = X[part(0)]
    dense = unveil.MeanOperatorClassifier().fit(release, here).coef_
    assert_allclose(unveil.MeanOperatorClassifier().fit(release, sparse.csr_matrix(here)).coef_, dense, rtol=1e-9)
    assert_allclose(unveil.MeanOperatorClassifier().fit(release, np.asfortranarray(here)).coef_, dense, rtol=1e-9)


ONE = {kind: released(kind)[0] for kind in PUBLISHED}
NAMED = unveil.NoisyRecords(0.1, 0.1).publish((np.eye(2, dtype=int), [0, 1]))
test_what_does_not_belong_together_is_refused = refused(
    (lambda: unveil.MeanOperatorClassifier().fit(ONE["products"], X), "protocol 'mean-operator'"),
    (lambda: unveil.MeanOperatorClassifier().fit(ONE["mean-operator"]), "X must be given"),
    (lambda: unveil.MeanOperatorClassifier().fit(ONE["mean-operator"], X), "X must have the 60 rows"),
    (lambda: unveil.MeanOperatorClassifier().fit(ONE["mean-operator"], X[60:120]), "X must be the rows of the release"),
    (lambda: unveil.MeanOperatorClassifier().fit(ONE["mean-operator"], X[:60, :2]), "the release's 3 columns"),
    (lambda: unveil.MomentRegression().fit(ONE["records"]), "protocol 'products'"),
    (lambda: unveil.MomentRegression().fit(ONE["moments of classes"]), "take MomentClassifier"),
    (lambda: unveil.MomentClassifier().fit(ONE["moments"]), "take MomentRegression"),
    (lambda: unveil.MomentClassifier().fit(ONE["products"]), "protocol 'moments'"),
    (lambda: unveil.MMDClassRatio().fit(ONE["tags"], BAGS[:2]), "protocol 'ratios'"),
    (lambda: unveil.MMDClassRatio().fit(ONE["ratios"]), "bags must be given"),
    (lambda: unveil.MMDClassRatio().fit(BAGS[:2], ONE["ratios"]), "bags must come last"),
    (lambda: unveil.MMDClassRatio().fit(BAGS[:2]), "proportions must be given"),
    (lambda: unveil.SetIdLogistic().fit(ONE["ratios"], BAGS), "bags must be the 2 sets"),
    (lambda: unveil.SetIdEM().fit(ONE["ratios"], [BAGS[0], BAGS[1][:5]]), "bags\\[1\\] has 5 points, not 30"),
    (lambda: unveil.ProportionSVM().fit(ONE["products"], BAGS[:2]), "protocol 'ratios' for ProportionSVM"),
    (lambda: unveil.CountTagger().fit(ONE["tags"], WORDS), "sentences must have the 10 rows"),
    (lambda: unveil.CountTagger().fit(ONE["tags"], WORDS[10:20]), "sentences must be the rows of the release"),
    (lambda: unveil.SpreadLogisticRegression().fit(ONE["tags"]), "protocol 'records'"),
    (lambda: unveil.SpreadLogisticRegression().fit(ONE["records"], Y), "y must be left out"),
    (lambda: unveil.SpreadLogisticRegression(0.3).fit(ONE["records"]), "label_flip must be left out"),
    (lambda: unveil.SpreadLogisticRegression(input_noise=0.3).fit(ONE["records"]), "input_noise must be left out"),
    (lambda: ONE["ratios"].merge(ONE["tags"]), "only releases of the same protocol merge"),
    (lambda: ONE["records"].merge(NAMED), "only releases of the same parameters merge"),
)


def test_tallies_of_a_narrow_type_are_compared_with_every_number_of_records(tmp_path: Path) -> None:
    shares = default_rng(0).random((40, 3))
    release = unveil.PerValueRelease(30.0, 6.0).publish((shares[:, 1:], shares[:, 0]), default_rng(0))
    narrow = {name: array.astype(np.int8) for name, array in release.arrays.items()}
    replace(release, arrays=narrow, records=2**53).save(tmp_path / "narrow.unveil")
    assert Release.load(tmp_path / "narrow.unveil").records == 2**53
