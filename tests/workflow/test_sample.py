"""The sample run: every figure of the project, in small, from raw data to pictures."""

from __future__ import annotations

import csv
import io
import json
import shutil
import warnings
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from docutils.core import publish_parts
from tests.workflow.test_claims import FORMATS
from tools.costs import configured_figures

from looks import complaints
from project import ROOT, Project
from replication import style
from replication.engine.pictures import Picture, pictures_of
from replication.engine.task import read_scores
from replication.judging.captions import MOST_WORDS, PLACE
from replication.judging.judge import COLUMNS as CLAIM_COLUMNS
from replication.judging.judge import SETTINGS, claims_of
from replication.judging.verdicts import Outcome
from stages import planned

pytestmark = pytest.mark.pipeline

SAMPLE = ("--cores", "2", "--profile", "profiles/sample", "all")
FIGURES = configured_figures(ROOT)
PICTURES = [picture for figure in planned().values() for picture in pictures_of(figure)]
#: Claims that mechanisms keep their levels, and these mechanisms in the table of guarantees.
PROMISES = {
    ("linear_moments", "mechanisms-private"): ["randomised_response", "coordinate_release", "per_value_release"],
    ("mean_operator", "theorem-9"): ["release_printed"],
    ("class_ratio", "existing-mechanisms-private"): ["laplace", "gaussian", "laplace_prior"],
    ("class_ratio", "condition-9-suffices-at-fixed-σ"): ["scaled_dirichlet_fixed_scale"],
    ("class_ratio", "scaled-dirichlet-private"): ["scaled_dirichlet"],
    ("class_ratio", "tight-private-as-published"): ["scaled_dirichlet_tight"],
    ("class_ratio", "public-minimum-private"): ["scaled_dirichlet_public"],
}
COLUMNS = yaml.safe_load((Path(__file__).parent / "columns.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the project in which the sample was run once."""
    project = Project.build(tmp_path_factory.mktemp("sample") / "project")
    shutil.copytree(ROOT / "config", project.file("config"))
    shutil.copy(ROOT / "config.yaml", project.file("config.yaml"))
    project.run(*SAMPLE)
    return project


def test_a_second_sample_run_has_nothing_to_do(sample: Project) -> None:
    assert "Nothing to be done" in sample.run(*SAMPLE)


def test_taggers_learn_again_where_their_kernels_are_compiled_again(sample: Project) -> None:
    scores = "results/sample/linear_moments/fig7_tags/scores.csv"
    again = sample.planned("--profile", "profiles/sample", "--forcerun", "kernels", "--", scores)
    assert again == {("kernels", "results/sample/kernels.txt"), ("figure", scores)}


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: f"{picture.figure.paper}/{picture.name}")
def test_every_picture_is_drawn_and_looks_as_any_must(sample: Project, picture: Picture) -> None:
    place = f"{picture.figure.paper}/{picture.name}"
    drawn = sample.file(f"figures/sample/{place}")
    for suffix, begins in FORMATS.items():
        assert drawn.with_suffix(suffix).read_bytes().startswith(begins)
    assert [drawn.with_suffix(suffix).is_file() for suffix in (".csv", ".md")] == [picture.has_table] * 2
    scores = sample.file(f"results/sample/{picture.figure.paper}/{picture.figure.name}/scores.csv")
    with style.applied():
        assert complaints(place, style.picture_of(import_module(picture.module), read_scores(scores))) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: f"{picture.figure.paper}/{picture.name}")
def test_every_caption_is_filled_in_and_short(sample: Project, picture: Picture) -> None:
    drawn = sample.file(f"figures/sample/{picture.figure.paper}/{picture.name}")
    caption, method = (drawn.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".rst", ".method.rst"))
    assert 0 < len(caption.split()) <= MOST_WORDS
    for text in (caption, method):
        assert not PLACE.search(text)
        said = io.StringIO()
        publish_parts(text, writer="html", settings_overrides={"warning_stream": said})
        assert said.getvalue() == ""


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_scores_have_the_promised_columns_and_numbers(sample: Project, paper: str, figure: str) -> None:
    folder = sample.file(f"results/sample/{paper}/{figure}")
    with (folder / "scores.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    promised = COLUMNS[paper][figure].split(",")
    assert header[: len(promised)] == promised
    assert rows
    assert not any(cell.lower() == "nan" for row in rows for cell in row)
    metadata = json.loads((folder / "scores.meta.json").read_text(encoding="utf-8"))
    assert (metadata["paper"], metadata["figure"]) == (paper, figure)
    assert all(item.keys() >= {"dataset", "grade", "source", "sha256"} for item in metadata["data"])


@pytest.mark.parametrize(("paper", "claim"), PROMISES)
def test_guarantees_and_the_table_of_claims_say_the_same(sample: Project, paper: str, claim: str) -> None:
    """A promise of privacy that is judged to be kept is broken by no mechanism that it speaks of, and the other way."""
    kept = read_scores(sample.file("results/sample/guarantees.csv"))
    own = kept[(kept["paper"] == paper) & kept["mechanism"].isin(PROMISES[paper, claim])]
    assert set(own["mechanism"]) == set(PROMISES[paper, claim])
    slack = 1 + 1e-9
    broken = (own["exact_epsilon"] > own["claimed_epsilon"] * slack) | (
        own["exact_delta"] > own["claimed_delta"] * slack
    )
    claims = read_scores(sample.file("results/sample/claims.csv"))
    (verdict,) = claims.loc[(claims["paper"] == paper) & (claims["claim"] == claim), "verdict"]
    assert (verdict == Outcome.REPRODUCED) == (not broken.any())


def test_released_files_hold_no_timings(sample: Project) -> None:
    import numpy as np

    for path in sample.root.glob("results/sample/*/*/released/**/*.npz"):
        with np.load(path) as archive:
            assert not [name for name in archive.files if "seconds" in name], path


def verdicts(rows: list[dict[str, str]]) -> dict[tuple[str, str], str]:
    return {(row["paper"], row["claim"]): row["verdict"] for row in rows}


def test_every_claim_has_a_verdict(sample: Project) -> None:
    rows = sample.rows("results/sample/claims.csv")
    assert list(rows[0]) == CLAIM_COLUMNS
    papers = list(dict.fromkeys(paper for paper, _ in FIGURES if paper != "crossover"))
    assert list(verdicts(rows)) == [(paper, claim.id) for paper in papers for claim in claims_of(paper)]
    assert not [row["claim"] for row in rows if "not in this run's configuration" in row["note"]]
    assert {row["verdict"] for row in rows} <= set(Outcome)
    turned = [row for row in rows if row["verdict"] in ("reproduced", "contradicted")]
    assert all(row["grade"] in ("full", "subset", "no data") for row in turned)


def test_every_quantity_has_a_unit_and_chance_an_interval(sample: Project) -> None:
    rows = sample.rows("results/sample/claims.csv")
    assert all(row["quantity"] and row["unit"] and float(row["threshold"]) > 0 for row in rows)
    settings = sample.rows("results/sample/claims_settings.csv")
    assert list(settings[0]) == SETTINGS
    random = [row for row in rows + settings if row["low"] and int(row["trials"])]
    assert random
    assert not [row for row in random if not float(row["low"]) < float(row["high"])]


def test_verdicts_that_rest_on_no_sample_stay(sample: Project) -> None:
    pinned = yaml.safe_load((ROOT / "tests/replication/judging/pinned.yaml").read_text(encoding="utf-8"))
    found = verdicts(sample.rows("results/sample/claims.csv"))
    expected = {(paper, claim): verdict for paper, own in pinned.items() for claim, verdict in own.items()}
    assert {key: found[key] for key in expected} == expected


@pytest.mark.filterwarnings("default:verdicts drifted")
def test_drift_of_the_other_verdicts_is_reported(sample: Project) -> None:
    """A sample may well see less than the whole run did, whose verdicts are committed: it says where, and passes."""
    committed = ROOT / "docs/gallery/claims.csv"
    if not committed.is_file():
        pytest.skip("no whole run has been committed yet: make gallery")
    with committed.open(encoding="utf-8") as file:
        whole = verdicts(list(csv.DictReader(file)))
    found = verdicts(sample.rows("results/sample/claims.csv"))
    drift = [
        f"{paper} {claim}: {whole.get((paper, claim), 'unknown')} → {verdict}"
        for (paper, claim), verdict in found.items()
        if verdict not in ("untestable", whole.get((paper, claim)))
    ]
    if drift:
        warnings.warn("verdicts drifted from the whole run to the sample:\n" + "\n".join(drift), stacklevel=1)
