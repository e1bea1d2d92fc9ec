"""Section 4.4: other f-divergences in place of KL, for a flipped variable of two states or more.

Held against the empirical law of one observation y, a point mass, the divergence is f(p) + f'(∞)(1 − p) with
p = p̃_θ(y): a penalty h on the probability of what was seen. Its mean over the noise is minimised at the truth
for h = −log; with two states also where p·h′(p) = (1 − p)·h′(1 − p), as for h = (1 − p)². Held against observed
frequencies, every divergence is minimised where p̃_θ equals them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax, xlogy

from unveil.types import Floats


def _jensen_shannon(t: float) -> float:
    return 0.5 * float(xlogy(t, t) - xlogy(1 + t, (1 + t) / 2))


#: f of each divergence, convex with f(1) = 0, and the limit of f(t)/t for large t, finite for all of these.
GENERATORS: dict[str, tuple[Callable[[float], float], float]] = {
    "kl": (lambda t: -float(np.log(t)), 0.0),
    "hellinger": (lambda t: (float(np.sqrt(t)) - 1) ** 2, 1.0),
    "neyman": (lambda t: (1 - t) ** 2 / t, 1.0),
    "jensen_shannon": (_jensen_shannon, 0.5 * float(np.log(2))),
    "total_variation": (lambda t: abs(t - 1) / 2, 0.5),
    # Brier's rule for two states, of which one was seen; for three it leaves out what the others are given.
    "one_sided_square": (lambda t: max(0.0, 1 - t) ** 2, 0.0),
}


def penalty(divergence: str, probability: float) -> float:
    """h(p̃_θ(y)): the divergence between the model and a point mass on what was seen."""
    generator, at_infinity = GENERATORS[divergence]
    return generator(probability) + at_infinity * (1 - probability)


def fitted_share(divergence: str, frequency: float, p_flip: float, *, target: str) -> float:
    """θ that minimises the divergence for an observed `frequency` of ones.

    `target`: "datum" averages the penalty over single observations, (40); "frequencies" compares the model
    with their empirical law.
    """
    average = _mean_penalty if target == "datum" else _divergence

    def loss(theta: float) -> float:
        return average(divergence, frequency, p_flip + (1 - 2 * p_flip) * theta)

    inside = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    return float(min([(inside.fun, inside.x), (loss(0.0), 0.0), (loss(1.0), 1.0)])[1])


def _mean_penalty(divergence: str, frequency: float, one: float) -> float:
    return frequency * penalty(divergence, one) + (1 - frequency) * penalty(divergence, 1 - one)


def _divergence(divergence: str, frequency: float, one: float) -> float:
    """D_f of the model's law (1 − one, one) from the frequencies, (39)."""
    generator, at_infinity = GENERATORS[divergence]
    total = 0.0
    for model, seen in ((one, frequency), (1 - one, 1 - frequency)):
        total += seen * generator(model / seen) if seen > 0 else at_infinity * model
    return total


def fitted_law(divergence: str, law: Floats, p_flip: float) -> Floats:
    """The law over states that minimises (40) for single observations, where `law` is true and noise moves evenly.

    A state is seen as each of the others with probability p_flip/(states − 1). From the middle and near each corner,
    since not every penalty is convex; the corners themselves are candidates, too.
    """
    states = len(law)
    other = p_flip / (states - 1)
    seen = other + (1 - p_flip - other) * np.asarray(law, dtype=float)

    def loss(logits: Floats) -> float:
        return mean_penalty(softmax(np.append(logits, 0.0)))

    def mean_penalty(p: Floats) -> float:
        model = other + (1 - p_flip - other) * p
        return float(sum(q * penalty(divergence, float(m)) for q, m in zip(seen, model, strict=True)))

    starts = [np.zeros(states - 1), *(3 * np.eye(states - 1)), -3 * np.ones(states - 1)]
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000, "maxfev": 4000}
    inside = [minimize(loss, start, method="Nelder-Mead", options=options) for start in starts]
    ends = [softmax(np.append(found.x, 0.0)) for found in inside] + list(np.eye(states))
    return np.asarray(min(ends, key=mean_penalty))
