"""What is known of a protocol, in one object: the arrays of its releases, and all that is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from unveil.errors import UnveilError, is_whole, require
from unveil.protocols.base import ROWS, Release
from unveil.types import Arrays


class Protocol:
    """One of the ways from an owner to a learner; the five are objects of its subclasses."""

    #: As releases and the command call it.
    name: str
    #: The arrays of a release, and how those of different records become one; some protocols have several kinds.
    kinds: tuple[Mapping[str, str], ...]
    #: The parameters that estimators rely on.
    needs: frozenset[str]
    #: Parameters that have an entry for each row of the arrays; the others are the same in releases that merge.
    of_rows: tuple[str, ...] = ()

    def kind_of(self, arrays: Arrays) -> Mapping[str, str]:
        """Which of its kinds these arrays are."""
        for kind in self.kinds:
            if set(kind) == set(arrays):
                return kind
        raise UnveilError(f"a release of the protocol {self.name!r} does not hold {', '.join(arrays)}")

    def check(self, release: Release, path: Path) -> None:
        """Raise unless a release that was read has what estimators rely on, and arrays that belong together."""
        kind, known = self.kind_of(release.arrays), release.parameters
        missing = self.needs - set(known)
        require(not missing, f"{path} must say {', '.join(sorted(missing))} among its parameters")
        if "dimension" in known:
            whole = is_whole(known["dimension"]) and known["dimension"] >= 1
            require(whole, f"{path} must hold a dimension of at least 1")
            require(isinstance(known["intercept"], bool), f"{path} must say whether it has an intercept")
        for name in {"classes", "tags"} & set(known):
            require(isinstance(known[name], list) and known[name], f"{path} must hold a list of {name}")
        rows = [array for name, array in release.arrays.items() if kind[name] == ROWS]
        require(all(array.ndim >= 1 for array in rows), f"{path} must hold one row a record, or a set")
        self.check_arrays(release, {len(array) for array in rows}, path)

    def check_arrays(self, release: Release, lengths: set[int], path: Path) -> None:
        """The same of the arrays alone; `lengths` are those of the ones that have rows."""
        require(lengths <= {release.records}, f"{path} must hold one row a record")
