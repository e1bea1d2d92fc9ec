"""Releases of all protocols: files that come back or are refused, shards that merge, and estimators that take them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from scipy import sparse

import unveil
from refusals import refused
from unveil import containers
from unveil.errors import UnveilError
from unveil.protocols import Release, _header
from unveil.releases import MeanOperator
from unveil.types import Array

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

ROWS, SHARDS = 60, 4
RNG = default_rng(0)
X = RNG.uniform(0, 1, (SHARDS * ROWS, 3))
Y = np.where(X @ [1.0, -1.0, 0.4] > 0.2, 1, -1)
BAGS = [RNG.normal(2.0 * k / 7, 1.0, (30, 2)) for k in range(8)]
COUNTS = np.array([[30 - 3 * k, 3 * k] for k in range(1, 9)])
WORDS = [[f"w{i}" for i in RNG.integers(0, 6, 4)] for _ in range(40)]
TAGS = [["AB"[int(word[1]) % 2] for word in words] for words in WORDS]


def part(k: int, size: int = ROWS) -> slice:
    return slice(k * size, (k + 1) * size)


def picked(rows: Any, order: list[int], size: int) -> list[Any]:
    return [row for k in order for row in rows[part(k, size)]]


def mean_operator(k: int, rng: Generator) -> Release:
    return unveil.MeanOperatorRelease(5.0, "laplace", 2.0).publish((X[part(k)], Y[part(k)]), rng)


def products(k: int, rng: Generator) -> Release:
    return unveil.CoordinateRelease(8.0).publish((X[part(k)], X[part(k), 0]), rng)


def bits(k: int, rng: Generator) -> Release:
    return unveil.PerValueRelease(np.inf, 9).publish((X[part(k)], X[part(k), 0]), rng)


def ratios(k: int, rng: Generator) -> Release:
    return unveil.LaplaceCounts(2.0).publish(COUNTS[part(k, 2)], rng)


def tags(k: int, rng: Generator) -> Release:
    return unveil.RegionCounts(2).publish((WORDS[part(k, 10)], TAGS[part(k, 10)]), rng, tag_set=["A", "B"])


def records(k: int, rng: Generator) -> Release:
    veil = unveil.NoisyRecords(0.1, 0.02, noise="gaussian")
    return veil.publish((X[part(k)], Y[part(k)]), rng, classes=(-1, 1))


#: How a shard is published, and what an estimator learns from the release of shards in some order.
PUBLISHED: dict[str, Callable[[int, Generator], Release]] = {
    "mean-operator": mean_operator,
    "products": products,
    "products by bits": bits,
    "ratios": ratios,
    "tags": tags,
    "records": records,
}
LEARNED: dict[str, Callable[[Release, list[int]], Array]] = {
    "mean-operator": lambda release, order: (
        unveil.MeanOperatorClassifier().fit(release, np.array(picked(X, order, ROWS))).coef_
    ),
    "products": lambda release, _: unveil.MomentRegression().fit(release).coef_,
    "products by bits": lambda release, _: unveil.MomentRegression().fit(release).coef_,
    "ratios": lambda release, order: (
        unveil.MMDClassRatio([1.0], diagonal="unbiased").fit(release, picked(BAGS, order, 2)).predict(BAGS)
    ),
    "tags": lambda release, order: (
        unveil.CountTagger(random_state=0, passes=2).fit(release, picked(WORDS, order, 10)).predict_proba(["w1", "w4"])
    ),
    "records": lambda release, _: unveil.SpreadLogisticRegression(l2=0.01).fit(release).coef_,
}


def released(kind: str, seed: int = 1) -> list[Release]:
    rng = default_rng(seed)
    return [PUBLISHED[kind](k, rng) for k in range(SHARDS)]


def merged(parts: list[Release], cuts: list[int]) -> Release:
    """Neighbours put together in the order of `cuts`, whichever tree that is."""
    parts = list(parts)
    for cut in cuts:
        at = cut % (len(parts) - 1)
        parts[at : at + 2] = [parts[at].merge(parts[at + 1])]
    (whole,) = parts
    return whole


@pytest.mark.parametrize("kind", PUBLISHED)
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 5), min_size=SHARDS - 1, max_size=SHARDS - 1), turned=st.booleans())
def test_shards_merged_in_any_way_give_the_same_fit(kind: str, cuts: list[int], turned: bool) -> None:
    shards, order = released(kind), list(range(SHARDS))
    expected = LEARNED[kind](merged(shards, [0, 0, 0]), order)
    if turned and kind in ("mean-operator", "products", "products by bits"):  # sums do not mind the order
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


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), cut=st.booleans(), byte=st.integers(0, 255))
def test_any_truncation_or_altered_byte_is_noticed(tmp_path: Path, where: float, cut: bool, byte: int) -> None:
    path = tmp_path / "r.unveil"
    if not path.exists():
        released("products")[0].save(path)
        (tmp_path / "good").write_bytes(path.read_bytes())
    data = bytearray((tmp_path / "good").read_bytes())
    at = int(where * len(data))
    if cut:
        del data[at:]
    elif data[at] == byte or (data[at] in b" \n" and byte in b" \n\t\r"):
        return  # white space means nothing in the header
    else:
        data[at] = byte
    path.write_bytes(bytes(data))
    with pytest.raises(UnveilError, match=r"r\.unveil"):
        Release.load(path)


def forged(path: Path, change: Callable[[dict[str, Any]], Any], **arrays: Array) -> Path:
    """A file whose checksum is right."""
    release = released("mean-operator")[0]
    header = json.loads(json.dumps(_header(release)))
    change(header)
    containers.write(path, header, {**release.arrays, **arrays})
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
        (lambda h: h["parameters"].update(dimension=4), "sums of its dimension"),
        (lambda h: h["parameters"].update(dimension=3.5), "dimension of at least 1"),
        (lambda h: h["parameters"].update(intercept="no"), "intercept"),
        (lambda h: h["parameters"].update(classes="ab"), "list of classes"),
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
    with pytest.raises(UnveilError, match="sums of its dimension"):
        Release.load(forged(tmp_path / "shape", lambda h: h, sum=np.ones((3, 3))))
    path = forged(tmp_path / "good", lambda h: h)
    content = path.read_bytes()
    for name, old, new in (
        ("huge", b'   "shape": [\n    3\n', b'   "shape": [\n    281474976710655\n'),
        ("negative", b"    3\n", b"    -3\n"),
        ("pickle", b'"<f8"', b'"|O"'),
        ("big-endian", b'"<f8"', b'">f8"'),
    ):
        assert old in content
        (tmp_path / name).write_bytes(content.replace(old, new, 1))
        with pytest.raises(UnveilError, match=name):
            Release.load(tmp_path / name)


def test_nothing_that_can_be_run_is_read(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(pickle.dumps({"format": "unveil release 3"}))
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


EARLIER = """{
 "format": "unveil mean operator 1",
 "value": [0.5, -0.25],
 "records": 4,
 "noise": "laplace",
 "scale": 0.125,
 "claimed_epsilon": 1.0,
 "true_epsilon": 1.5,
 "features": "FEATURES",
 "sha256": "SUM"
}
"""


def test_a_file_of_the_first_format_is_loaded(tmp_path: Path) -> None:
    from unveil.earlier import _checksum
    from unveil.releases import fingerprint

    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]])
    text = EARLIER.replace("FEATURES", fingerprint(rows))
    content = json.loads(text)
    del content["sha256"]
    (tmp_path / "first.json").write_text(text.replace("SUM", _checksum(content)))
    release = Release.load(tmp_path / "first.json")
    assert (release.protocol, release.mechanism, release.randomness) == (
        "mean-operator",
        "MeanOperatorRelease",
        "seeded",
    )
    assert (release.claimed_epsilon, release.exact_epsilon, release.records) == (1.0, 1.5, 4)
    assert_allclose(release.arrays["sum"], [2.0, -1.0])
    assert_allclose(release.arrays["variance"], 2 * (4 * 0.125) ** 2)
    model = unveil.MeanOperatorClassifier(l2=0.1).fit(release, rows)
    assert_allclose(model.coef_, unveil.MeanOperatorClassifier(l2=0.1).fit_statistic(rows, [0.5, -0.25]).coef_)
    with pytest.raises(UnveilError, match="X must be the rows of the release"):
        unveil.MeanOperatorClassifier().fit(release, rows[::-1])
    assert MeanOperator.load(tmp_path / "first.json").randomness == "unknown"


@pytest.mark.parametrize("noise", ["printed", "laplace", "gamma", "geometric"])
def test_a_file_of_the_second_format_says_what_a_new_one_says(noise: str, tmp_path: Path) -> None:
    kind = unveil.GeometricMeanOperator(1.0, testing=True) if noise == "geometric" else None
    veil: Any = kind or unveil.MeanOperatorRelease(1.0, noise, 2.0)
    MeanOperator.released(X, Y, veil, default_rng(0)).save(tmp_path / "r.json")
    old, new = Release.load(tmp_path / "r.json"), veil.publish((X, Y), default_rng(0))
    assert_allclose(old.arrays["sum"], new.arrays["sum"], rtol=1e-9)
    assert_allclose(old.arrays["variance"], new.arrays["variance"], rtol=1e-3)
    for field in ("mechanism", "claimed_epsilon", "exact_epsilon", "records", "randomness"):
        assert getattr(old, field) == pytest.approx(getattr(new, field))
    assert_allclose(
        unveil.MeanOperatorClassifier().fit(old, sparse.csr_matrix(X)).coef_,
        unveil.MeanOperatorClassifier().fit(new, X).coef_,
        rtol=1e-3,
    )


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
    (lambda: unveil.MeanOperatorClassifier(fit_intercept=True).fit(ONE["mean-operator"], X[:60]), "fit_intercept"),
    (lambda: unveil.MomentRegression().fit(ONE["records"]), "protocol 'products'"),
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
