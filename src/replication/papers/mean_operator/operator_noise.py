"""What noise on the mean operator does (Patrini et al. 2016, theorems 6, 9 and 10): as stated, and as it is.

All norms are 2-norms and ‖xᵢ‖ ≤ 1, as in the paper. b is the noise on the mean operator, of scale 2/(mα) an entry.
"""

from __future__ import annotations

from math import log, log1p, pi, sinh, sqrt

import numpy as np
from scipy import integrate

from unveil.errors import require
from unveil.types import Floats


def shift_bound_stated(shift: float, l2: float) -> float:
    """Theorem 6: ‖θ* − θ̃*‖ ≤ ‖μ − μ̃‖/λ, for the objective risk + λΩ² with Ω the 2-norm, which it leaves open."""
    _require_l2(l2)
    return shift / l2


def shift_bound_sharp(shift: float, l2: float, a: float) -> float:
    """|a|·‖μ − μ̃‖/(4λ): the objective is 2λ-strongly convex and its gradients differ by (|a|/2)·‖μ − μ̃‖.

    The linear loss attains it. The stated bound is weaker for |a| < 4, the same for the square loss, and false
    for |a| > 4.
    """
    _require_l2(l2)
    return abs(a) * shift / (4 * l2)


def deviation_bound_stated(a: float, radius: float, m: int, alpha: float, d: int, delta: float) -> float:
    """Theorem 10: |L(μ, θ) − L(μ̃, θ)| ≤ |a|·R·log(d/δ)/(mα) with probability 1 − δ, for one θ fixed beforehand."""
    _require_probability(delta)
    return abs(a) * radius * log(d / delta) / (m * alpha)


def deviation_bound_uniform(a: float, radius: float, m: int, alpha: float, d: int, delta: float) -> float:
    """√d times as much, for all ‖θ‖ ≤ R at once, an extension: the union bound is on ‖b‖_∞, and ‖b‖₂ ≤ √d·‖b‖_∞."""
    return sqrt(d) * deviation_bound_stated(a, radius, m, alpha, d, delta)


def deviation_bound_fixed(a: float, radius: float, m: int, alpha: float, d: int, delta: float) -> float:
    """A bound without d for one θ that was chosen before the noise was drawn.

    Chernoff: a unit combination u of standard Laplace variables has E e^{su·l} = ∏ 1/(1 − s²u_j²) ≤ 1/(1 − s²), so that
    P(|u·l| > t) ≤ 2·e^{−st}/(1 − s²) for every s in (0, 1); the best s is (√(1 + t²) − 1)/t.
    """
    _require_probability(delta)
    require(d >= 1, f"d must be at least 1, got {d}")
    # The bound falls steadily from log 2 at t = 0, so bisection finds where it reaches δ.
    low, high = 0.0, 2.0 + 2 * log(2 / delta)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _chernoff_log_tail(middle) > log(delta) else (low, middle)
    return abs(a) / 2 * radius * 2 / (m * alpha) * high


def _chernoff_log_tail(t: float) -> float:
    s = t / (1 + sqrt(1 + t * t))
    return log(2) - s * t - log1p(-s * s)


def worst_tail(d: int, t: float) -> tuple[float, float]:
    """The largest P(|u·l| > t) found over unit u in d dimensions, and the share of u's square on its first axis.

    Numerically, over directions with one weight of their own and d − 1 equal ones, from the diagonal to the axis.
    """
    require(d >= 1, f"d must be at least 1, got {d}")
    shares = np.linspace(1 / d, 1, 40 if d > 1 else 1)
    rest = [np.full(d - 1, sqrt((1 - share) / max(d - 1, 1))) for share in shares]
    tails = [combination_tail(np.append(sqrt(share), other), t) for share, other in zip(shares, rest, strict=True)]
    best = int(np.argmax(tails))
    return tails[best], float(shares[best])


def combination_tail(u: Floats, t: float) -> float:
    """P(|u·l| > t) for independent standard Laplace l, by inverting the characteristic function ∏ 1/(1 + u_j²w²)."""
    require(t >= 0, f"t must be at least 0, got {t}")

    def integrand(w: float) -> float:
        return float(np.prod(1 / (1 + (u * w) ** 2))) / w if w > 0 else 0.0

    # P(|X| ≤ t) = (2/π)·∫ sin(tw)/w·φ(w) dw, a Fourier integral with a known oscillation.
    if t == 0:
        return 1.0
    head = integrate.quad(lambda w: np.sin(t * w) * integrand(w), 0, 1, epsabs=1e-13, limit=400)[0]
    tail = integrate.quad(integrand, 1, np.inf, weight="sin", wvar=t, epsabs=1e-12, limlst=400)[0]
    return float(1 - 2 / pi * (head + tail))


def crossover_size(noise: str, d: int, alpha: float, l1: float) -> float:
    """The number of records above which noise on μ is smaller than that of randomised response, in mean square.

    Randomised response leaves ‖b‖² = ‖x‖²/(m·sinh²(α/2)) on average (‖x‖ ≤ 1, taken as equality); Laplace noise of the
    right scale 2d·(2·l1/(mα))², radial noise d(d + 1)·(2/(mα))². Their ratio falls as 1/m.
    """
    require(alpha > 0, f"alpha must be positive, got {alpha}")
    require(noise in ("laplace", "gamma"), f"noise must be laplace or gamma, got {noise!r}")
    spread = 2 * d * l1**2 if noise == "laplace" else d * (d + 1)
    return float(spread * (2 * sinh(alpha / 2) / alpha) ** 2)


def _require_l2(l2: float) -> None:
    require(l2 > 0, f"l2 must be positive, got {l2}")


def _require_probability(delta: float) -> None:
    require(0 < delta < 1, f"delta must lie in (0, 1), got {delta}")
