"""When the beam overtakes the moments for good, in passes and windows seen, and what the trend over n says of more."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from unveil.types import Floats

#: The paper's two estimators, (12) solved first.
MOMENTS, BEAM = "moments_all", "marginal_beam"
#: Sentences of the Wall Street Journal's sections 0 to 21, on which the paper trains.
WSJ = 39_832
#: What a trend says.
SAID = ("exponent", "exponent_low", "exponent_high", "windows", "windows_low", "windows_high")


def leads(scores: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy of the moments minus the beam's by corpus, window, n_train where it varies, trial and passes."""
    keys = [key for key in ("corpus", "window", "n_train", "trial", "passes") if key in scores]
    test = scores[scores["split"] == "test"]
    one, other = (test[test["estimator"] == name].set_index(keys)["accuracy"] for name in (MOMENTS, BEAM))
    return (one - other).dropna().rename("lead").reset_index()


def overtaken(lead: pd.DataFrame) -> pd.DataFrame:
    """By corpus, window, n and trial, the passes after which the lead is below 0 for good: ∞ where it never is.

    Between two evaluations it is interpolated, straight in the logarithm of the passes.
    """
    runs = lead.sort_values("passes").groupby(["corpus", "window", "n_train", "trial"])
    table = runs.apply(lambda own: _last_zero(own["passes"].to_numpy(), own["lead"].to_numpy()))
    return table.rename("passes").reset_index().assign(windows=lambda row: row["passes"] * row["n_train"])


def _last_zero(passes: Floats, lead: Floats) -> float:
    ahead = np.flatnonzero(lead >= 0)
    if not len(ahead):
        return float(passes[0])
    last = int(ahead[-1])
    if last == len(lead) - 1:
        return float("inf")
    share = lead[last] / (lead[last] - lead[last + 1])
    return float(np.exp(np.interp(share, [0, 1], np.log(passes[last : last + 2]))))


def trend(found: pd.DataFrame, at: float = WSJ) -> dict[str, float]:
    """The exponent of a power law through the windows at n sentences, and what it says of `at`, with intervals.

    By least squares in logarithms over the runs that were overtaken; the interval at `at` is for a further training.
    """
    own = found[np.isfinite(found["windows"])]
    if len(own) < 3 or own["n_train"].min() == own["n_train"].max():
        return dict.fromkeys(SAID, float("nan"))
    x, y = np.log(own["n_train"].to_numpy(float)), np.log(own["windows"].to_numpy(float))
    design = np.column_stack([np.ones(len(x)), x])
    spread = np.linalg.inv(design.T @ design)
    power = spread @ design.T @ y
    variance = float(np.sum((y - design @ power) ** 2)) / (len(x) - 2)
    half = float(stdtrit(len(x) - 2, 0.975))
    new = np.array([1.0, np.log(at)])
    wide, reach = half * np.sqrt(variance * np.array([1 + new @ spread @ new, spread[1, 1]]))
    middle = new @ power
    windows = np.exp([middle, middle - wide, middle + wide])
    return dict(zip(SAID, [power[1], power[1] - reach, power[1] + reach, *windows], strict=True))
