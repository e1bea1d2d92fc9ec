"""The bench's taggers from counts, on the Treebank's sentences to train on."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.random import Generator

from tools.bench.inputs import cut_windows
from tools.bench.measure import Pair, Work
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.counts.features import word_features
from unveil.types import Array, Arrays

CRFSUITE = "python-crfsuite l2sgd, the same tokens one by one"


def posteriors(rng: Generator, treebank: Arrays, window: int) -> Pair:
    """Exact posteriors of every training window's tags, against our own beam of 500."""
    windows, counts = cut_windows(treebank, window, rng)
    tagger = CountTagger(passes=0.5, random_state=0).fit(windows, counts)
    return (
        lambda: tagger.posterior(windows, counts, inference="exact"),
        lambda: tagger.posterior(windows, counts, inference="beam"),
    )


def tagger_passes(rng: Generator, treebank: Arrays, window: int, passes: int) -> Pair:
    """Passes of marginal likelihood with exact inference, against CRFsuite on the windows' tags."""
    windows, counts = cut_windows(treebank, window, rng)
    ours = CountTagger(inference="exact", passes=passes, random_state=0)
    return lambda: ours.fit(windows, counts), crfsuite(treebank, windows.positions, passes)


def supervised_passes(rng: Generator, treebank: Arrays, passes: int) -> Pair:
    """Passes of supervised training over all training sentences, against CRFsuite."""
    windows, _ = cut_windows(treebank, None, rng)
    ours = CountTagger("supervised", optimizer="sgd", passes=passes, random_state=0)
    return lambda: ours.fit(windows, treebank["tags"]), crfsuite(treebank, windows.positions, passes)


def crfsuite(treebank: Arrays, positions: Array, passes: int) -> Work:
    """Training by CRFsuite's stochastic gradient on single tokens, which makes its model ours.

    Its passes cannot be timed one by one.
    """
    features = [list(word_features(word)) for word in np.asarray(treebank["words"]).tolist()]
    trainer = import_module("pycrfsuite").Trainer(algorithm="l2sgd", verbose=False)
    trainer.set_params({"max_iterations": passes, "calibration.samples": 10, "calibration.max_trials": 1})
    for token, tag in zip(treebank["tokens"][positions].tolist(), treebank["tags"][positions].tolist(), strict=True):
        trainer.append([features[token]], [str(tag)])
    folder = tempfile.TemporaryDirectory()
    return lambda: trainer.train(str(Path(folder.name) / "model"))
