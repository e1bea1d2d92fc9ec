"""What an erratum consists of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath


class Kind(StrEnum):
    """How a printed sentence or formula errs, from the gravest on."""

    FALSE = "false"
    MISPRINT = "misprint"
    LOOSE = "loose"
    UNSTATED = "unstated"

    @property
    def meaning(self) -> str:
        """The kind in a sentence."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.FALSE: "Under the hypotheses that the text gives it does not hold.",
    Kind.MISPRINT: "A slip of the pen. The paper itself uses or needs the right form elsewhere; no result changes.",
    Kind.LOOSE: "It holds, but gives away more than it needs to; or it is worded wider than what is shown.",
    Kind.UNSTATED: "It holds, or can be carried out, once something is added that the paper does not say.",
}


@dataclass(frozen=True)
class Erratum:
    """One error of a paper: its kind and place, what is printed, what is right, and the test that shows it.

    `hypotheses` are those of the printed statement; the test keeps them. `claims` are the claims on the same sentence,
    whose verdicts must not say otherwise. `test` is the dotted name of a test function,
    from the folder `tests` on. Its arguments `printed` and `corrected` have the two versions as defaults, and it fails
    if they trade places or if either stands for both. `faint` says that what is printed hangs on an accent, a bar or a
    sign that reading may have lost.
    """

    id: str
    kind: Kind
    place: str
    printed: str
    corrected: str
    hypotheses: str
    why: str
    test: str
    faint: bool = False
    claims: tuple[str, ...] = ()

    @property
    def file(self) -> PurePosixPath:
        """The test's file, relative to the project's root."""
        return PurePosixPath(*self.test.split(".")[:-1]).with_suffix(".py")

    @property
    def function(self) -> str:
        """The test's name inside its file."""
        return self.test.rsplit(".", 1)[-1]
