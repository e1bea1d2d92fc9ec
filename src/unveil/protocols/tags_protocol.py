"""The protocol "tags": how often each tag stands in a window of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unveil.errors import is_whole, require
from unveil.mechanisms.regions import RegionCounts
from unveil.protocols.base import ROWS, Release
from unveil.protocols.candidates import Candidate, publish_rows
from unveil.protocols.contents import Sizes, Values, check_names
from unveil.protocols.protocol import Offer, Option, Order, Protocol

if TYPE_CHECKING:
    from unveil.protocols.columns import Encoding
    from unveil.protocols.encoded import EncodedTable, Piece


class TagsProtocol(Protocol):
    """Private tags of words; the learner has the words, in their sentences."""

    name = "tags"
    kinds = (
        {
            "start": Values(("records",), ROWS, 0, 1 << 31, "iu"),
            **dict.fromkeys(("width", "lengths"), Values(("records",), ROWS, 1, 1 << 31, "iu")),
            "counts": Values(("records", "classes"), ROWS, 0, 1 << 31, "iu"),
            "asked": Values(("records", "classes"), ROWS, kinds="b"),
        },
    )
    needs = frozenset({"tags"})
    learners = ("unveil.estimators.counts.count_tagger:CountTagger",)
    state: ClassVar = {"n_tags_": Values(whole=True), "classes_": None, "coef_": Values(("features", "classes"))}
    needed = ("sets",)
    options = (
        Option("window", "words counted in a sentence; by default all of them.", int),
        Option("asked", "how many tags are asked for at random; by default all.", int),
    )
    promises_nothing = "tags are counted exactly and promise no privacy"
    tasks = ("tags",)
    protects = "nothing"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Counts as they are."""
        from unveil.protocols.columns import Column

        encoding, asked = table.encoding, order.more.get("asked")
        require(len(encoding.features) == 1, "tags needs one feature, the column of words: give --features WORDS")
        words = Column(encoding.names[0])
        table = replace(table, encoding=replace(encoding, features=(words,))).with_classes()
        sentences = table.read_runs([words.name, encoding.label.name])
        most = len(table.encoding.classes)
        require(asked is None or asked <= most, f"--asked must be at most {most}, the number of tags")
        data = [words for words, _ in sentences], [tags for _, tags in sentences]
        mechanism = RegionCounts(order.more.get("window"), asked)
        return Offer(mechanism, (inf, 0.0), table, lambda _: data, {"tag_set": table.encoding.classes})

    def check_arrays(self, release: Release) -> None:
        """Windows lie in their sentences, and counts are those of their words."""
        start, width, lengths, counts, asked = (release.arrays[name] for name in self.kinds[0])
        require((start + width <= lengths).all(), "start and width must lie within lengths")
        window, tags = release.parameters.get("window"), release.parameters.get("asked")
        told = ("window", window, lengths, width), ("asked", tags, len(asked.T), asked.sum(axis=1))
        for name, most, all_, seen in told:
            require(most is None or (is_whole(most) and most >= 1), f"{name} must be a whole number, or nothing")
            kept = all_ if most is None else np.minimum(all_, min(most, 1 << 31))
            require((seen == kept).all(), f"{name} must be kept to")
        seen = counts.sum(axis=1)
        fits = (seen <= width).all() and (seen == width)[asked.all(axis=1)].all() and not counts[~asked].any()
        require(fits, "counts must be of the tags that were asked for, as many as the windows have words")

    def recompute(self, release: Release) -> dict[str, Any]:  # noqa: ARG002 - whatever it says
        """Nothing is promised."""
        return {"claimed_epsilon": inf, "claimed_delta": 0.0, "exact_epsilon": inf, "exact_delta": 0.0}

    def state_of(self, estimator: Any) -> dict[str, Any]:
        """The words: from their spelling follows which weights are theirs."""
        return {**super().state_of(estimator), "words_": estimator.words_}

    def restore(self, estimator: Any, found: dict[str, Any], encoding: Encoding) -> None:
        """The same; the places of the weights are made anew, and never believed."""
        from unveil.estimators.counts.features import vocabulary

        words = check_names("words_", found.pop("words_", None), {}, "words")
        require(all(isinstance(word, str) for word in words), "words_ must hold texts")
        estimator.words_ = tuple(words)
        estimator.feature_index_, estimator.features_ = vocabulary(estimator.words_)
        super().restore(estimator, found, encoding)
        require(estimator.n_tags_ == len(estimator.classes_), "n_tags_ must be the number of tags")

    def check_table(self, release: Release, encoding: Encoding) -> None:
        """The words, in sentences."""
        super().check_table(release, encoding)
        _require_words(encoding)

    def check_state(self, estimator: Any, encoding: Encoding) -> None:
        """The same."""
        super().check_state(estimator, encoding)
        _require_words(encoding)

    def sizes_of(self, estimator: Any, encoding: Encoding) -> Sizes:
        """Features are those of the words."""
        return {**super().sizes_of(estimator, encoding), "features": len(estimator.feature_index_)}

    def fit(self, estimator: Any, release: Release, table: EncodedTable | None) -> None:
        """On the sentences that the release was made from."""
        assert table is not None  # noqa: S101 - for the type checker
        if estimator.random_state is None:
            estimator.random_state = 0
        estimator.fit(release, [words for (words,) in table.read_runs(table.encoding.names)])

    def predict(self, estimator: Any, table: EncodedTable, extra: tuple[str, ...]) -> Iterator[Piece]:
        """A tag for each word."""
        (words,) = table.encoding.names
        for piece in table.read_texts([*extra, words]):
            found = piece[words]
            own = {name: piece[name] for name in extra}
            called = words if words != "prediction" else "word"
            yield {**own, called: found, "prediction": [str(tag) for tag in estimator.predict(found)]}

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - nothing is promised, whatever ε is
        """Windows of several widths."""
        learners = tuple(
            self.attempt("CountTagger", method=method, passes=5, random_state=0) for method in ("moments", "marginal")
        )
        for window in (2, 5, 10, None):
            size = "sentence" if window is None else f"{window} words"
            line = "DATA --label TAG --features WORD --sets SENTENCE" + (f" --window {window}" if window else "")
            yield Candidate(f"RegionCounts, {size}", publish_rows(RegionCounts(window)), learners, line)


def _require_words(encoding: Encoding) -> None:
    """Raise unless the features are one column of words."""
    bare = encoding.width == len(encoding.features) == 1 and encoding.features[0].range is None
    require(bare and encoding.features[0].categories is None, "features must be one column, of words")
    require(encoding.sets is not None, "sets must be a column, that of sentences")


PROTOCOL = TagsProtocol()
