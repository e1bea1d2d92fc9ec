"""What every mechanism has: checked parameters, randomness that fits it, and the level that it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from unveil.errors import require_numbers
from unveil.mechanisms.checks import check_level
from unveil.mechanisms.entropy import RandomBytes, SecureGenerator, require_generator, require_secure


class Mechanism:
    """What an owner runs on private data; its parameters are public.

    `release` returns what leaves the owner as plain arrays, from a source of randomness that must be given: a numpy
    `Generator`, or a `SecureGenerator` where the mechanism is fit for real releases. `publish` returns the same, or
    sums of it, as a `Release`, of one array or of batches; with sums alone memory does not grow with the records.
    Its `rng` is by default the operating system's randomness, which noise in floating point refuses. A `ledger` notes
    the level before the release is handed out, or refuses it; `records` says there whom the release is about.
    """

    #: Whether its noise is drawn without rounding; other mechanisms are for simulation, and refuse a `SecureGenerator`.
    fit_for_release: ClassVar[bool] = False
    #: Whether each record is noised on its own, so that records may be published shard by shard.
    local: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters: levels, that numbers are numbers, and then what the mechanism asks of them."""
        for name in ("alpha", "epsilon") if self.fit_for_release else ():
            if name in vars(self):
                check_level(getattr(self, name), name)
        require_numbers(self)  # type: ignore[arg-type]
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Raise where the parameters break a rule."""

    @property
    def claimed_epsilon(self) -> float:
        """The level asked for, `alpha` or `epsilon`; infinite where none is."""
        parameters: dict[str, Any] = vars(self)
        return float(parameters.get("alpha", parameters.get("epsilon", inf)))

    def _source(self, rng: Any) -> Any:
        """`rng`, if the mechanism may draw from it; None stands for the operating system's randomness."""
        if not self.fit_for_release:
            return require_generator(rng, type(self).__name__)
        return require_secure(SecureGenerator() if rng is None else rng, bool(getattr(self, "testing", False)))


@dataclass(frozen=True)
class ExactMechanism(Mechanism):
    """One whose noise is drawn without rounding; with `testing` a numpy generator will do for its randomness."""

    fit_for_release: ClassVar[bool] = True

    testing: bool = field(default=False, repr=False, kw_only=True)


def describe_randomness(source: RandomBytes) -> str:
    """What a release says of its noise: only the operating system's cannot be drawn again."""
    return "os" if isinstance(source, SecureGenerator) else "seeded"
