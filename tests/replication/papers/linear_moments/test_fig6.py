from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from checks import assert_mean
from replication.arrays import Named
from replication.data.scaling import unit_range
from replication.papers.linear_moments.fig6.design import MOST_ONES, SOURCES, Parts, centre, split_design, upper_halves
from replication.papers.linear_moments.fig6.learn import learn
from replication.papers.linear_moments.fig6.release import release
from replication.papers.linear_moments.fig6.score import first_reach, score
from replication.papers.linear_moments.fig6.settings import Learn, Protocol, Release
from replication.randomness import Trial
from stages import drawn
from unveil.errors import UnveilError
from unveil.estimators.moments.product_releases import estimate_products
from unveil.estimators.moments.regression import MomentRegression
from unveil.numerics.products import number_of_products, products, unfold
from unveil.types import Arrays

HOUSING = Protocol(mechanism="per_value", levels=(0.3, 10.0, np.inf), growth_level=10.0, design="scaled")
SONGS = Protocol(mechanism="coordinate", levels=(0.3, 3.0, np.inf), growth_level=3.0, design="thinned")
SPARSE = replace(HOUSING, design="sparse")
SWAPPED = Protocol(mechanism="coordinate", levels=(0.3, 4.2), growth_level=4.2, design="scaled")
SETTINGS = Learn(
    protocols={"housing": HOUSING, "housing_sparse": SPARSE, "housing_coordinate": SWAPPED, "songs": SONGS},
    solvers=("truncated", "ridge"),
    shares=(0.1, 1.0),
    reach=(0.5, 0.9),
)


def trial(stage: str, arm: str, number: int = 0) -> Trial:
    return Trial(1, "linear_moments", "fig6", stage, arm, number)


def small_fields(n: int = 4_000, d: int = 4) -> dict[str, Arrays]:
    rng = np.random.default_rng(2)
    features = rng.uniform(-3, 5, (n, d))
    target = 3 + features @ np.array([0.5, -0.2, 0.1, 0.0]) + 0.1 * rng.normal(size=n)
    years = np.clip(1960 + 8 * features[:, 0] + rng.normal(size=n), 1922, 2011)
    split = (np.arange(n) >= 0.9 * n).astype(np.uint8)
    scaled = unit_range(features)
    songs: Arrays = {
        "thinned_features": scaled.astype(np.float32),
        "thinned_target": ((years - 1922) / 89).astype(np.float32),
        "thinned_split": split,
    }
    housing: Arrays = {"scaled_features": scaled, "scaled_target": unit_range(target)}
    return {"housing": housing, "songs": songs}


def housing_design(stage: str, number: int = 0) -> Parts:
    public = trial(stage, "any", number).public
    return split_design(small_fields()["housing"], "scaled", public)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    fields = small_fields()
    learned: dict[str, list[Named]] = {"small": [], "songs": [], "clear": []}
    for number in (0, 1):
        for arm, dataset in (("small", "housing"), ("songs", "songs")):
            released = release({dataset: fields[dataset]}, trial("release", arm, number), SETTINGS)
            sources = {str(name): str(source) for name, source in SOURCES.items()}
            assert {sources.get(str(name[0]), str(name[0])) for name in released} == {dataset}
            learned[arm].append(learn({arm: released}, {}, trial("learn", arm, number), SETTINGS))
        learned["clear"].append(learn({}, fields, trial("learn", "clear", number), SETTINGS))
    return score(learned, fields, [trial("score", "score", number) for number in (0, 1)], SETTINGS)


def test_columns_and_grid(scores: pd.DataFrame) -> None:
    moments = {f"moments_{solver}" for solver in SETTINGS.solvers}
    assert set(scores["estimator"]) == moments | {"binarised", "least_squares", "constant"}
    assert not scores[["dataset", "estimator", "trial", "n_train", "centred", "panel"]].isna().any(axis=None)
    assert not scores.loc[scores["panel"] != "reach", ["r2", "skill", "uncentred_r2"]].isna().any(axis=None)
    per_value = scores[(scores["dataset"] == "housing") & scores["level"].notna()]
    assert_allclose(per_value["alpha"], per_value["level"] * number_of_products(4))
    released = scores[scores["level"].notna() & np.isfinite(scores["alpha"])]
    halves = released[released["dataset"].isin(["housing", "songs"])]
    assert_allclose(halves["epsilon"], halves["alpha"] / 2)
    assert_allclose(scores.loc[scores["estimator"] == "constant", "skill"], 0, atol=1e-12)


def test_one_thing_changes_at_a_time(scores: pd.DataFrame) -> None:
    """On centred data R² is skill; least squares' two fits differ in the intercept alone, under either metric."""
    centred_rows = scores[scores["centred"] & (scores["panel"] != "reach")]
    assert_allclose(centred_rows["r2"], centred_rows["skill"], rtol=1e-6, atol=1e-9)
    raw = scores[~scores["centred"] & (scores["panel"] != "reach")]
    assert_allclose(raw["r2"], raw["uncentred_r2"], rtol=1e-9)
    own = scores[(scores["dataset"] == "housing") & (scores["trial"] == 0) & (scores["estimator"] == "constant")]
    assert np.ptp(own["uncentred_r2"]) < 1e-9


def test_the_other_mechanism_is_scored_at_its_levels_on_the_data_as_they_are(scores: pd.DataFrame) -> None:
    own = scores[(scores["dataset"] == "housing_coordinate") & scores["level"].notna()]
    assert {*own["panel"]} == {"alpha"}
    assert {*own["alpha"]} == {0.3, 4.2}
    assert own["delta_bar"].isna().all()
    assert not own["centred"].any()


def test_density_is_that_of_the_products_written_out(scores: pd.DataFrame) -> None:
    design = housing_design("score")
    written = products(design.train, design.train_target)
    own = scores[(scores["dataset"] == "housing") & (scores["trial"] == 0) & ~scores["centred"]]
    row = own[own["estimator"] == "least_squares"].iloc[0]
    assert row["density"] == pytest.approx(np.abs(written).mean())
    assert row["filled"] == pytest.approx((written != 0).mean())


def test_the_smallest_alpha_lies_on_the_line_between_two_levels() -> None:
    alphas, skills = np.array([1.0, 10.0, 100.0, np.inf]), np.array([0.0, 0.4, 0.6, 0.9])
    assert first_reach(alphas, skills, 0.2) == pytest.approx(10**0.5)
    assert first_reach(alphas, skills, 0.5) == pytest.approx(10**1.5)
    assert first_reach(alphas, skills, 0.7) == np.inf
    assert first_reach(alphas, skills, 0.95) == np.inf
    assert first_reach(alphas, skills, -0.1) == 1.0


def test_the_sparse_reading_has_few_ones_whatever_the_record() -> None:
    X = np.random.default_rng(0).random((500, 13))
    X[0] = 1.0
    bits = upper_halves(X)
    assert set(np.unique(bits)) == {0.0, 1.0}
    assert bits.sum(axis=1).max() == MOST_ONES
    assert (np.count_nonzero(products(bits, np.ones(500)), axis=1) <= number_of_products(MOST_ONES)).all()
    assert bits[0].tolist() == [1.0] * MOST_ONES + [0.0] * 8
    few = (X > 0.5).sum(axis=1) <= MOST_ONES
    assert np.array_equal(bits[few], (X[few] > 0.5) * 1.0)


def test_more_privacy_is_worse_and_least_squares_is_best(scores: pd.DataFrame) -> None:
    means = scores[(scores["panel"] == "alpha") & ~scores["centred"] & (scores["dataset"] != "housing_coordinate")]
    for _, own in means.groupby("dataset"):
        curve = own[own["estimator"] == "moments_truncated"].groupby("level")["r2"].mean()
        best = own.loc[own["estimator"] == "least_squares", "r2"].mean()
        assert curve.loc[0.3] < curve.loc[np.inf] <= best


def test_least_squares_is_the_library_s(scores: pd.DataFrame) -> None:
    for is_centred in (False, True):
        design = centre(housing_design("score")) if is_centred else housing_design("score")
        model = LinearRegression(fit_intercept=False).fit(design.train, design.train_target)
        residual = design.test_target - model.predict(design.test)
        expected = 1 - np.sum(residual**2) / np.sum(design.test_target**2)
        row = (scores["dataset"] == "housing") & (scores["centred"] == is_centred) & (scores["trial"] == 0)
        got = scores.loc[row & (scores["estimator"] == "least_squares"), "r2"].item()
        assert got == pytest.approx(expected, abs=1e-9)


def test_products_unfold_to_the_moments() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.uniform(0, 1, (30, 4)), rng.uniform(0, 1, 30)
    second, cross = unfold(products(X, y).mean(axis=0), 4)
    assert_allclose(second, X.T @ X / 30)
    assert_allclose(cross, X.T @ y / 30)
    assert products(X, y).shape[1] == number_of_products(4)


def test_halves_do_not_meet_and_centred_ones_stay_in_range() -> None:
    design, whole = housing_design("release"), small_fields()["housing"]["scaled_features"]
    assert (len(design.train), len(design.test)) == (3_200, 800)
    both = np.vstack([design.train, design.test])
    assert_allclose(np.sort(both, axis=0), np.sort(whole, axis=0), rtol=0)
    middle = centre(design)
    assert_allclose(middle.train.mean(axis=0), 0, atol=1e-12)
    assert np.abs(middle.train).max() <= 1


def test_songs_keep_their_own_split() -> None:
    fields = small_fields()["songs"]
    design = split_design(fields, "thinned", trial("release", "songs").public)
    assert np.array_equal(design.train, fields["thinned_features"][:3_600])
    assert np.array_equal(design.test_target, fields["thinned_target"][3_600:])


def test_the_growth_level_is_one_of_the_levels() -> None:
    with pytest.raises(UnveilError, match="growth_level must be one of the levels"):
        replace(SONGS, growth_level=2.0)


def test_owner_learner_and_referee_share_the_split() -> None:
    owner, referee = housing_design("release", 1), housing_design("score", 1)
    assert (owner.test == referee.test).all()
    assert (owner.test != housing_design("score", 2).test).any()


def test_released_bits_have_the_statistics_as_their_mean() -> None:
    """What the learner reads from many releases is unbiased for the moments of the training part."""
    fields, owner = {"housing": small_fields(n=100)["housing"]}, trial("release", "small")
    design = split_design(fields["housing"], "scaled", owner.public)
    exact = products(design.train, design.train_target).mean(axis=0)
    protocol = replace(HOUSING, levels=(3.0,) * 400, growth_level=3.0)
    released = release(fields, owner, Release(protocols={"housing": protocol}, shares=(1.0,)))
    parts = [released["housing", "raw", "levels", i] for i in range(400)]
    read = [estimate_products(part).moments(4) for part in parts]
    second, cross = unfold(exact, 4)
    assert_mean(np.array([moments[0] for moments in read]), second.ravel())
    assert_mean(np.array([moments[1] for moments in read]), cross)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
def test_the_figure_s_weights_are_those_of_three_public_calls() -> None:
    fields, owner = small_fields(), trial("release", "songs")
    released = release({"songs": fields["songs"]}, owner, SETTINGS)
    weights = learn({"songs": released}, {}, trial("learn", "songs"), SETTINGS)
    for variant in ("raw", "centred"):
        for i in range(len(SONGS.levels)):
            part = released["songs", variant, "levels", i]
            for k, solver in enumerate(SETTINGS.solvers):
                assert_allclose(weights["songs", variant, "levels"][i, k], MomentRegression(solver).fit(part).coef_)


def test_the_drawing_has_the_papers_panels(scores: pd.DataFrame) -> None:
    axes = drawn("linear_moments.fig6", scores).axes
    titles = ["(a) housing: per-value φ-RR", "(b) songs: coordinate release"]
    assert [axis.get_title(loc="left") for axis in axes] == titles[: len(axes)]
