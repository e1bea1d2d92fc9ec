"""The bench's rows for taggers from counts, on the Treebank sample, or on drawn text of its size."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from tools.bench.measure import Kernel, Work
from unveil.types import Array, Arrays

if TYPE_CHECKING:
    from unveil.estimators.counts.features import Windows

#: Passes in one measurement, of ours and of CRFsuite's, which cannot be timed pass by pass.
PASSES = 5
#: Sentences of the Treebank sample to train on.
TRAIN = 3_396
CRFSUITE = "python-crfsuite l2sgd, the same tokens one by one"


def tagging(treebank: Arrays | None = None) -> tuple[Kernel, ...]:
    """The rows, on the prepared Treebank sample where it is given."""
    return count_posterior_exact(treebank), count_tagger_pass(treebank), supervised_pass(treebank)


def count_posterior_exact(treebank: Arrays | None = None, window: int = 10) -> Kernel:
    """Exact posteriors of every training window's tags, against our own beam of 500."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.counts.count_tagger import CountTagger

        text = drawn_text(rng) if treebank is None else training_text(treebank)
        windows, counts = windows_of(text, window, rng)
        tagger = CountTagger(passes=0.5, random_state=0).fit(windows, counts)
        return (
            lambda: tagger.posterior(windows, counts, inference="exact"),
            lambda: tagger.posterior(windows, counts, inference="beam"),
        )

    size = f"3,396 windows, w = {window}"
    return Kernel("count_posterior_exact", size, "our own beam of 500", 0.2, make, repeats=5)


def count_tagger_pass(treebank: Arrays | None = None, window: int = 5) -> Kernel:
    """Passes of marginal likelihood with exact inference, against CRFsuite on the windows' tags."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.counts.count_tagger import CountTagger

        text = drawn_text(rng) if treebank is None else training_text(treebank)
        windows, counts = windows_of(text, window, rng)
        ours = CountTagger(inference="exact", passes=PASSES, random_state=0)
        return lambda: ours.fit(windows, counts), crfsuite(text, windows.positions)

    size = f"{PASSES} passes, 3,396 windows, w = {window}"
    return Kernel("count_tagger_pass", size, CRFSUITE, 0.5, make, repeats=5, alike=True)


def supervised_pass(treebank: Arrays | None = None) -> Kernel:
    """Passes of supervised training over all training sentences, against CRFsuite."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.counts.count_tagger import CountTagger

        text = drawn_text(rng) if treebank is None else training_text(treebank)
        windows, _ = windows_of(text, None, rng)
        ours = CountTagger("supervised", optimizer="sgd", passes=PASSES, random_state=0)
        return lambda: ours.fit(windows, text["tags"]), crfsuite(text, windows.positions)

    size = f"{PASSES} passes, 3,396 sentences"
    return Kernel("supervised_pass", size, CRFSUITE, 0.2, make, repeats=3, alike=True)


def drawn_fields(rng: Generator) -> dict[str, Array]:
    """The Treebank sample's declared stand-in, of which as many sentences train as in the sample."""
    from replication.data.sets.treebank import stand_in

    fields = stand_in(rng)
    split = (np.arange(len(fields["sentences"]) - 1) >= TRAIN).astype(np.uint8)
    return {**fields, "split": split}


def drawn_text(rng: Generator) -> dict[str, Array]:
    """Its sentences to train on."""
    return training_text(drawn_fields(rng))


def training_text(treebank: Arrays) -> dict[str, Array]:
    """The sentences to train on, which come first."""
    train = int((treebank["split"] == 0).sum())
    return {**treebank, "sentences": treebank["sentences"][: train + 1]}


def windows_of(text: dict[str, Array], window: int | None, rng: Generator) -> tuple[Windows, Array]:
    """One window a sentence and the counts of its tags."""
    from unveil.estimators.counts.features import Windows
    from unveil.mechanisms.regions import RegionCounts

    regions = RegionCounts(window).release(text["tags"], text["sentences"], rng, n_tags=len(text["tag_names"]))
    return Windows(text["words"], text["tokens"], regions.start, regions.stop), regions.counts


def crfsuite(text: dict[str, Array], positions: Array) -> Work:
    """Training by CRFsuite's stochastic gradient on single tokens, which makes its model ours."""
    import pycrfsuite

    from unveil.estimators.counts.features import word_features

    features = [list(word_features(word)) for word in np.asarray(text["words"]).tolist()]
    trainer = pycrfsuite.Trainer(algorithm="l2sgd", verbose=False)
    trainer.set_params({"max_iterations": PASSES, "calibration.samples": 10, "calibration.max_trials": 1})
    for token, tag in zip(text["tokens"][positions].tolist(), text["tags"][positions].tolist(), strict=True):
        trainer.append([features[token]], [str(tag)])
    folder = tempfile.TemporaryDirectory()

    def train() -> None:
        trainer.train(str(Path(folder.name) / "model"))

    return train
