"""The attack on released digits, the referee: how often the attacker is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from replication.arrays import Fields, Learned, Named
from replication.papers.spread.attack.settings import Score
from replication.papers.spread.attack.users import channels, users
from replication.papers.spread.digits import take_digits
from replication.randomness import Trial

COLUMNS = ["noise", "level", "attack", "trial", "success", "base_rate"]
MORE = ["sure", "right_when_sure", "users"]
ATTACKS = ("label_report", "label_image", "label_pair")


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """`success`: the share of users, beside what guessing gives; `sure`: of how many the attacker says that it is."""
    rows = [row for trial in trials for row in _attacks(learned["attacker"][trial.number], fields, trial, settings)]
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _attacks(found: Named, fields: Fields, trial: Trial, settings: Score) -> Iterator[dict[str, object]]:
    rows = users(fields, trial, settings)
    truth = take_digits(fields["mnist"], rows).labels == 1
    commoner = max(truth.mean(), 1 - truth.mean())
    for i, channel in enumerate(channels(settings)):
        about = {"noise": channel.noise, "level": channel.level, "trial": trial.number, "users": len(rows)}
        for attack in ATTACKS:
            odds = found[attack, i]
            right = (odds > 0) == truth
            sure = expit(np.abs(odds)) >= settings.sure
            told = {"success": right.mean(), "base_rate": commoner, "sure": sure.mean()}
            yield {**about, "attack": attack, **told, "right_when_sure": right[sure].mean() if sure.any() else np.nan}
        hit = (found["identity", i] == rows).mean()
        missing = {"sure": np.nan, "right_when_sure": np.nan}
        yield {**about, "attack": "identity", "success": hit, "base_rate": 1 / settings.candidates, **missing}
