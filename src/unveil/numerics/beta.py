"""Beta tails that stay right where libraries round: any shape, thresholds given by their log-odds.

The scaled Dirichlet is calibrated by probabilities of the form P[θ_i/(θ_i + θ_j) > r] whose threshold has a
log-odds of ε/σ: for a small σ it overflows, and a tail that rounds to zero would look like privacy.
Everything here works with the logarithm of the odds, and returns both tails, each with its own relative
accuracy.
"""

from __future__ import annotations

from math import erfc, exp, expm1, inf, lgamma, log, log1p, pi, sqrt

from numba import njit

#: Above this argument Stirling's series of `log_gamma_step` is exact to double precision.
_STIRLING = 10.0
#: Above this shape the uniform expansion replaces the continued fraction.
_LARGE = 2e4
_TINY = 1e-300


@njit(cache=True)
def log_gamma_step(x: float, step: float) -> float:
    """The difference log Γ(x) − log Γ(x − step) for 0 < step < x, without cancellation."""
    if step >= x:
        return inf
    total = 0.0
    z = x - step
    while z < _STIRLING:
        total -= log1p(step / z)  # Γ(x)/Γ(z) = Γ(x+1)/Γ(z+1) · z/x
        z += 1.0
        x += 1.0
    u, v = 1.0 / x, 1.0 / z
    uv, squares = u * v, u * u + v * v
    series = 1.0 / 12.0 - (squares + uv) / 360.0
    series += (squares * squares - uv * uv + uv * squares) / 1260.0
    series -= (u**6 + v**6 + uv * (u**4 + v**4) + uv * uv * squares + uv**3) / 1680.0
    return total + (z - 0.5) * log1p(step / z) + step * (log(x) - 1.0) - step * uv * series


@njit(cache=True)
def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 20_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            c = 1.0 + term / c
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


@njit(cache=True)
def _log_power(a: float, b: float, log_odds: float) -> float:
    """The logarithm of x^a (1−x)^b / B(a, b) at the x with these log-odds."""
    small, large = min(a, b), max(a, b)
    log_x = -log1p(exp(-log_odds)) if log_odds > 0 else log_odds - log1p(exp(log_odds))
    log_y = log_x - log_odds if log_odds <= 0 else -log_odds - log1p(exp(-log_odds))
    return a * log_x + b * log_y + log_gamma_step(small + large, small) - lgamma(small)


@njit(cache=True)
def _lower_large(a: float, b: float, log_odds: float) -> float:
    """P[X < x] for two large shapes: Temme's uniform expansion (DLMF 8.18.9), its first two terms."""
    total, mean = a + b, a / (a + b)
    d = log_odds - log(a / b)
    variance, skew = mean * (1.0 - mean), 1.0 - 2.0 * mean
    if abs(d) < 1e-3:  # the cumulants of a Bernoulli variable: the closed form would cancel
        tail_series = skew / 3.0 + d * (1.0 - 6.0 * variance) / 12.0 + d * d * skew * (1.0 - 12.0 * variance) / 60.0
        eta = d * sqrt(variance * (1.0 + d * tail_series))
    else:
        exponent = mean * d - log1p(mean * expm1(d)) if d < 30.0 else -(1.0 - mean) * d - log(mean)
        eta = sqrt(max(-2.0 * exponent, 0.0)) * (1.0 if d > 0 else -1.0)
    spread = sqrt(variance)
    if abs(eta) < 1e-6:
        correction = skew / (3.0 * spread)
    else:
        shift = expm1(min(d, 700.0))  # x − mean = mean (1 − mean) shift / (1 + mean shift)
        correction = 1.0 / eta - (1.0 + mean * shift) / (spread * shift)
    tail = 0.5 * erfc(-eta * sqrt(0.5 * total))
    return tail + correction * exp(-0.5 * total * eta * eta) / sqrt(2.0 * pi * total)


@njit(cache=True)
def beta_tails(a: float, b: float, log_odds: float) -> tuple[float, float]:
    """P[X > x] and P[X < x] for X ~ Beta(a, b) at the x with the given log-odds.

    Each is computed directly where it is the smaller one. A shape of zero is the point mass at its end.
    """
    if a <= 0.0 or log_odds == inf:
        return 0.0, 1.0
    if b <= 0.0 or log_odds == -inf:
        return 1.0, 0.0
    below_mean = log_odds < log((a + 1.0) / (b + 1.0))
    if min(a, b) > _LARGE:
        if below_mean:
            lower = _lower_large(a, b, log_odds)
            return 1.0 - lower, lower
        upper = _lower_large(b, a, -log_odds)
        return upper, 1.0 - upper
    power = _log_power(a, b, log_odds)
    if below_mean:
        lower = min(exp(power - log(a)) * _fraction(a, b, _expit(log_odds)), 1.0)
        return 1.0 - lower, lower
    upper = min(exp(power - log(b)) * _fraction(b, a, _expit(-log_odds)), 1.0)
    return upper, 1.0 - upper


@njit(cache=True)
def _expit(t: float) -> float:
    """The probability with log-odds t, with relative accuracy in its small values."""
    return 1.0 / (1.0 + exp(-t)) if t > -700.0 else exp(t)
