"""The few types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]

#: Named arrays: the fields of a data set, what an owner releases, what a learner learned.
Arrays: TypeAlias = Mapping[str, Array]
