"""The protocol "tags": how often each tag stands in a window of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from unveil.errors import require
from unveil.protocols.base import ROWS, Release
from unveil.protocols.protocol import Candidate, Learner, Offer, Option, Order, Protocol

if TYPE_CHECKING:
    from unveil.protocols.encoded import EncodedTable, Piece


class TagsProtocol(Protocol):
    """Private tags of words; the learner has the words, in their sentences."""

    name = "tags"
    kinds = (dict.fromkeys(("start", "width", "lengths", "counts", "asked"), ROWS),)
    needs = frozenset({"tags"})
    learners = ("unveil.estimators.counts.count_tagger:CountTagger",)
    state = ("words_", "feature_index_", "features_", "n_tags_", "classes_", "coef_")
    needed = ("sets",)
    options = (
        Option("window", "words counted in a sentence; by default all of them.", int),
        Option("asked", "how many tags are asked for at random; by default all.", int),
    )
    promises_nothing = "tags are counted exactly and promise no privacy"
    task = "tags"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Counts as they are."""
        from unveil.mechanisms.regions import RegionCounts
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

    def candidates(self, epsilon: float, d: int) -> Iterator[Candidate]:  # noqa: ARG002 - nothing is promised, whatever ε is
        """Windows of several widths."""
        from unveil.estimators.counts.count_tagger import CountTagger
        from unveil.mechanisms.regions import RegionCounts

        def learner(method: str) -> Learner:
            def predict(release: Release, world: Any) -> Any:
                tagger = CountTagger(method, passes=5, random_state=0).fit(release, world.sentences)
                return tagger.predict(world.words_test)

            return Learner("CountTagger", predict, (f"method={method}", "passes=5"))

        def publisher(window: int | None) -> Any:
            return lambda world, rng: RegionCounts(window).publish((world.sentences, world.tags), rng)

        for window in (2, 5, 10, None):
            size = "sentence" if window is None else f"{window} words"
            line = "DATA --label TAG --features WORD --sets SENTENCE" + (f" --window {window}" if window else "")
            learners = learner("moments"), learner("marginal")
            yield Candidate(f"RegionCounts, {size}", publisher(window), learners, line)


PROTOCOL = TagsProtocol()
