"""The one file of the two-agent protocol (Patrini et al. 2016, algorithm 3): a released statistic and what it promises.

A text file (JSON) that a person can read before sending it. It holds a checksum of its own content and a fingerprint
of the public features it was made from, so that a truncated, altered or mismatched file is noticed. The checksum guards
against accidents; who wants to be safe from forgers must sign the file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import UnveilError, is_real, is_whole, require
from unveil.files import create
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.mean_operator import MeanOperatorRelease, checked_features
from unveil.types import Floats

FORMAT = "unveil mean operator 2"
#: Squares of larger entries, and their sums, leave the range of doubles.
_LARGEST = 1e100
#: An earlier format, which did not say where the noise came from.
_EARLIER = "unveil mean operator 1"


def releasable(X: ArrayLike) -> Floats:
    """X as a matrix that learners can compute with: a release that none can read would be paid for all the same."""
    features = checked_features(X)
    require(np.abs(features).max() <= _LARGEST, f"X must hold numbers of at most {_LARGEST:g} in size")
    return features


def fingerprint(X: ArrayLike) -> str:
    """A hash of the features' shape and values, the same on every machine."""
    features = np.ascontiguousarray(checked_features(X), dtype="<f8") + 0.0  # no negative zeros
    return hashlib.sha256(f"{features.shape}".encode() + features.tobytes()).hexdigest()


@dataclass(frozen=True)
class MeanOperator:
    """A released mean operator with the public parameters of the veil (Patrini et al. 2016, algorithm 3).

    The owner of the labels makes it by `released` and writes it by `save`; the learner reads it by `load` and takes the
    `statistic` that goes with the features.

    Parameters
    ----------
    value : tuple of float
        μ̃, one number a feature.
    records : int
        m.
    noise : str
        The kind of noise.
    scale : float
        Its scale.
    claimed_epsilon, true_epsilon : float
        The level asked for, and the one that holds at these features.
    features : str
        The fingerprint of the features.
    randomness : str
        Where the noise came from: "os", or "seeded", in which case whoever knows the seed can take it off. A file of an
        earlier format does not say ("unknown").

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from unveil import GeometricMeanOperator, MeanOperator, MeanOperatorClassifier, SecureGenerator
    >>> X, y = np.tile([[0.6, 0.8], [1.0, -0.2]], (500, 1)), np.tile([1, -1], 500)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "release.json")
    ...     MeanOperator.released(X, y, GeometricMeanOperator(1.0), SecureGenerator()).save(path)
    ...     released = MeanOperator.load(path)
    >>> released.records, released.noise, released.true_epsilon
    (1000, 'geometric', 1.0)
    >>> MeanOperatorClassifier().fit_statistic(X, released.statistic(X)).predict(X[:2])
    array([ 1, -1])

    See Also
    --------
    GeometricMeanOperator, MeanOperatorClassifier
    """

    value: tuple[float, ...]
    records: int
    noise: str
    scale: float
    claimed_epsilon: float
    true_epsilon: float
    features: str
    randomness: str = "unknown"

    @classmethod
    def released(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        mechanism: MeanOperatorRelease | GeometricMeanOperator,
        rng: Generator | RandomBytes,
    ) -> MeanOperator:
        """Release the mean operator of private labels.

        Parameters
        ----------
        X : array of shape (m, d)
            The public features.
        y : array of shape (m,)
            The private labels, −1 or +1.
        mechanism : GeometricMeanOperator or MeanOperatorRelease
            The veil; the latter is for simulation only.
        rng : SecureGenerator or numpy.random.Generator
            The source of the noise; a numpy generator is for simulation and tests.

        Returns
        -------
        MeanOperator
            What may be published.
        """
        features = releasable(X)
        if isinstance(mechanism, GeometricMeanOperator):
            mu, scale = mechanism.release(X, y, rng), mechanism.scale_at(features)
        else:
            # Where it is no numpy generator, it refuses by itself.
            mu, scale = mechanism.release(X, y, cast(Generator, rng)), mechanism.scale(*features.shape)
        return cls(
            value=tuple(map(float, mu)),
            records=len(features),
            noise=mechanism.noise,
            scale=scale,
            claimed_epsilon=mechanism.claimed_epsilon,
            true_epsilon=mechanism.tight_epsilon(features),
            features=fingerprint(features),
            randomness="seeded" if isinstance(rng, Generator) else "os",
        )

    def statistic(self, X: ArrayLike) -> Floats:
        """μ̃ as an array (d,), provided that X are the features it was made from; otherwise an error."""
        features = checked_features(X)
        expected = (self.records, len(self.value))
        require(features.shape == expected, f"X must have the release's shape {expected}, got {features.shape}")
        require(fingerprint(features) == self.features, "X must be the features of the release: other values found")
        return np.array(self.value)

    def save(self, path: str | Path) -> None:
        """Write the file whole or not at all; a file that exists is never overwritten."""
        content = {"format": FORMAT, **asdict(self)}
        create(Path(path), json.dumps({**content, "sha256": _checksum(content)}, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> MeanOperator:
        """Read a release file; anything but an intact one is an error."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UnveilError(f"cannot read {path}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise UnveilError(f"{path} is no whole release file (truncated?): {error}") from error
        require(isinstance(content, dict) and "sha256" in content, f"{path} is no release file: it has no checksum")
        expected = content.pop("sha256")
        require(_checksum(content) == expected, f"{path} was altered: its checksum does not match its content")
        kind = content.pop("format", None)
        require(kind in (FORMAT, _EARLIER), f"{path} is no release file of the format {FORMAT!r}")
        names = {field.name for field in fields(cls)} - ({"randomness"} if kind == _EARLIER else set())
        require(set(content) == names, f"{path} must hold exactly {', '.join(sorted(names))}")
        _require_fields(content, path)
        return cls(**{**content, "value": _numbers(content["value"], path)})


def _numbers(values: Any, path: str | Path) -> tuple[float, ...]:
    ok = isinstance(values, list) and values and all(_is_number(v) for v in values)
    require(ok, f"{path} must hold finite numbers as its value")
    return tuple(map(float, values))


def _is_number(value: Any) -> bool:
    """A finite number that a double can hold."""
    return is_real(value) and abs(value) <= sys.float_info.max


def _require_fields(content: dict[str, Any], path: str | Path) -> None:
    """Whoever can write a file can write a right checksum, too: kinds and ranges are checked all the same."""
    records = content["records"]
    require(is_whole(records) and records >= 1, f"{path} must hold a positive whole number as its records")
    for name in ("scale", "claimed_epsilon", "true_epsilon"):
        require(_is_number(content[name]) and content[name] >= 0, f"{path} must hold a finite number as its {name}")
    for name in ("noise", "features", "randomness"):
        require(isinstance(content.get(name, ""), str), f"{path} must hold a text as its {name}")


def _checksum(content: dict[str, Any]) -> str:
    # json writes the shortest digits that read back as the same double, so the text stands for the exact numbers.
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
