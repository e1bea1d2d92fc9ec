"""What an erratum consists of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Erratum:
    """One error of a paper: its place, what it says, what it should say, why that matters, the test that shows it.

    `test` is the dotted name of a test function, from the folder `tests` on. It fails if the printed version is right.
    """

    id: str
    place: str
    printed: str
    corrected: str
    why: str
    test: str

    @property
    def file(self) -> PurePosixPath:
        """The test's file, relative to the project's root."""
        return PurePosixPath(*self.test.split(".")[:-1]).with_suffix(".py")

    @property
    def function(self) -> str:
        """The test's name inside its file."""
        return self.test.rsplit(".", 1)[-1]
