"""The file of the two-agent protocol (Patrini et al. 2016, algorithm 3) before there was one for all protocols.

`unveil.Release` loads these files, too; new ones are better published as such.

A text file (JSON) that a person can read before sending it. It holds a checksum of its own content and a fingerprint
of the public features it was made from, so that a truncated, altered or mismatched file is noticed. The checksum guards
against accidents; who wants to be safe from forgers must sign the file.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil import earlier
from unveil.errors import require
from unveil.files import create
from unveil.fingerprints import earlier_fingerprint
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.mean_operator import MeanOperatorRelease, checked_features
from unveil.types import Floats

#: Squares of larger entries, and their sums, leave the range of doubles.
_LARGEST = 1e100


def releasable(X: ArrayLike) -> Floats:
    """X as a matrix that learners can compute with: a release that none can read would be paid for all the same."""
    features = checked_features(X)
    require(np.abs(features).max() <= _LARGEST, f"X must hold numbers of at most {_LARGEST:g} in size")
    return features


def fingerprint(X: ArrayLike) -> str:
    """A hash of the features' shape and values, the same on every machine."""
    return earlier_fingerprint(checked_features(X))


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
        create(Path(path), earlier.text_of(asdict(self)))

    @classmethod
    def load(cls, path: str | Path) -> MeanOperator:
        """Read a release file; anything but an intact one is an error."""
        return cls(**earlier.read(path))
