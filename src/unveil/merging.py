"""How the arrays and the parameters of releases about different records become those of one release about all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from unveil.containers import jsonable
from unveil.errors import require
from unveil.types import Array, Arrays

#: Arrays are added, or those of one put behind those of the other.
SUM, ROWS = "sum", "rows"
#: Parameters that have an entry for each row of the arrays, by protocol; the others must be the same.
OF_ROWS: Mapping[str, tuple[str, ...]] = {"ratios": ("sets",)}


def merged_arrays(kind: Mapping[str, str], ours: Arrays, theirs: Arrays) -> dict[str, Array]:
    """Each array as its `kind` says."""
    return {name: _merged(how, ours[name], theirs[name], name) for name, how in kind.items()}


def _merged(how: str, ours: Array, theirs: Array, name: str) -> Array:
    same = ours.shape == theirs.shape if how == SUM else ours.shape[1:] == theirs.shape[1:]
    require(same, f"only releases of the same shape merge: {name} is {ours.shape} and {theirs.shape}")
    return np.asarray(ours + theirs) if how == SUM else np.concatenate([ours, theirs])


def merged_parameters(protocol: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same in both, and what belongs to the rows of one before what belongs to those of the other."""
    of_rows = OF_ROWS.get(protocol, ())
    require_same("parameters", *({k: v for k, v in known.items() if k not in of_rows} for known in (ours, theirs)))
    found = dict(ours)
    for name in of_rows:
        both = name in ours and name in theirs
        require(both or not (name in ours or name in theirs), f"only one of the releases names its {name}: name both's")
        if both:
            found[name] = [*ours[name], *theirs[name]]
            twice = [entry for entry, times in Counter(found[name]).items() if times > 1]
            require(not twice, f"releases that merge must name different {name}: {twice[:1]} is in both")
    return found


def require_same(what: str, ours: Any, theirs: Any) -> None:
    """Raise unless both would be written alike."""
    first, second = (json.dumps(jsonable(value), sort_keys=True) for value in (ours, theirs))
    require(first == second, f"only releases of the same {what} merge: {ours} and {theirs}")
