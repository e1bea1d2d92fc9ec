"""A claim in words, from its row of the table of claims: captions, pages and reports say the same of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, isinf, isnan, log10, nan
from typing import Any

import pandas as pd

from replication import style
from replication.judging.verdicts import FEWEST_TO_AVERAGE, Outcome

Row = Mapping[str, Any]

#: What a verdict rests on, by the grade of its data.
BASIS = {
    "full": "the paper's data",
    "subset": "a subset of the paper's data",
    "stand-in": "a stand-in for the paper's data",
    "no data": "no data set",
}
#: How much of its settings a claim speaks of.
SCOPE = {"all": "all settings", "typical": "the typical setting", "some": "some setting", "number": "a number"}
BACKSLASH = "\\"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def amount(value: float, width: float = 0.0) -> str:
    """A number for reading: to two digits of its interval's half-width, or to three where it is exact."""
    if isnan(value) or isinf(value):
        return "–" if isnan(value) else ("∞" if value > 0 else "−∞")
    size = floor(log10(abs(value))) if value else 0
    digits = 3 if width <= 0 else min(max(size - floor(log10(width)) + 2, 1), 6)
    if value and not -4 < floor(log10(max(abs(value), width))) < 6:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}·10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    # A number that vanishes beside its interval is still written to the interval's digits.
    decimals = max(0, digits - 1 - size) if width <= 0 else max(0, 1 - floor(log10(width)))
    return f"{value:,.{min(decimals, 6)}f}".replace("-", "−")


def span(row: Row) -> str:
    """What we saw, with its interval where there is chance."""
    ours, low, high = (float(row[name]) for name in ("ours", "low", "high"))
    if low == high:
        # Rounding is not worth its digits.
        return amount(ours) if abs(ours) > 1e-6 * float(row["threshold"]) else "0"
    width = (high - low) / 2
    return f"{amount(ours, width)} ({amount(low, width)} to {amount(high, width)})"


def printed(row: Row) -> str:
    """The number that the paper prints, if it prints one."""
    number = float(row["printed"])
    return "" if isnan(number) else f"{number:g}".replace("-", "−")


def seen(row: Row) -> str:
    """The quantity, what was printed and what we saw of it, in which setting."""
    if isnan(float(row["ours"])):
        return ""
    beside = f", where {printed(row)} is printed" if printed(row) else ""
    return f"{row['quantity']}: {span(row)} {row['unit']}{beside}{_where(row)}"


def _where(row: Row) -> str:
    if int(row["settings"]) < 2:
        return ""
    if _is_average(row):
        return f", the mean over {row['settings']} settings"
    kind = "most" if row["quantifier"] == "some" else "least"
    return f", at {row['shown']}, the {kind} favourable of {row['settings']} settings"


def _is_average(row: Row) -> bool:
    """Whether what was seen is the mean over the settings."""
    return row["quantifier"] == "typical" and int(row["settings"]) >= FEWEST_TO_AVERAGE


def sure(row: Row) -> str:
    """How sure that is."""
    if isnan(float(row["ours"])):
        return "not known"
    if not int(row["trials"]):
        return "exact"
    together = " for all settings together" if int(row["settings"]) > 1 and not _is_average(row) else ""
    return f"95 % interval{together}, {row['trials']} trials"


def sentence(row: Row) -> str:
    """The claim, its verdict and its numbers, as one sentence."""
    statement = str(row["statement"]).rstrip(".")
    told = _tell(row)
    note = f" ({told})" if told else ""
    return f"{statement}: {row['verdict']}{note}."


def _tell(row: Row) -> str:
    """What stands behind the verdict; settings that all agree with it are not listed, missing data is."""
    note = "" if str(row["note"]) == "nan" else str(row["note"])
    if row["verdict"] == "reproduced" and row["quantifier"] != "typical":
        note = "; ".join(part for part in note.split("; ") if "stand-in" in part)
    return "; ".join(part for part in (seen(row), note) if part)


VOCABULARY = """\
- *reproduced*: a claim about **all** settings holds in each of them; about the **typical** one, in two thirds of them
  or in the share that it names; about **some**, in one; a **number** agrees up to its rounding and what matters.
- *contradicted*: one setting fails of all; that share of the typical ones fails; all fail where some should hold; the
  number is another one.
- *conditional*: it holds in some settings and fails in others, or does either on a stand-in for the paper's data, which
  tells nothing about that data; or it is about all data sets and holds on those that are not stand-ins.
- *undecided*: the intervals cannot tell; this is no refutation. The note says how many trials would decide.
- *untestable*: nothing here speaks to it.

A setting *holds* where the interval of a difference lies above zero, or that of an equality within the smallest effect
that matters; it *fails* where the difference is surely smaller than that effect, or the equality surely off by more.
Intervals cover all settings of a claim together with 95 %; how often such verdicts are wrong is measured on simulated
claims in `figures/judge.pdf`.

A *factor (log)* is the natural logarithm of a ratio: 0.69 is a factor of two, 2.3 one of ten. *Points* are hundredths
of a share, *L1* the sum of absolute differences between two lists of shares, between 0 and 2."""


def page(claims: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Every claim with what is claimed, where, what we saw, on what data and how sure that is, in Markdown."""
    own, beyond = (claims[claims["origin"] == origin] for origin in ("paper", "beyond"))
    lines = ["# What holds", "", "Made by `make gallery` from `results/claims.csv`.", "", VOCABULARY, ""]
    lines += ["## The papers' claims", "", style.markdown_table(_totals(own, titles))]
    for paper, part in own.groupby("paper", sort=False):
        lines += [f"### {titles.get(str(paper), str(paper))}", "", *_entries(part), ""]
    if not beyond.empty:
        lines += [
            "## Beyond the papers",
            "",
            "What we ask and they do not say; it counts for nothing against them.",
            "",
        ]
        lines += [*_entries(beyond), ""]
    return "\n".join(lines)


def _totals(claims: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """How many claims of each paper have which verdict."""
    counts = pd.crosstab(claims["paper"], claims["verdict"])
    verdicts = [str(outcome) for outcome in Outcome]
    counts = counts.reindex(index=claims["paper"].unique(), columns=verdicts, fill_value=0)
    counts.loc["all"] = counts.sum()
    counts.insert(0, "paper", [titles.get(str(paper), str(paper)) for paper in counts.index])
    return counts.reset_index(drop=True)


def _entries(claims: pd.DataFrame) -> list[str]:
    return [entry(row) for row in claims.to_dict("records")]


def entry(row: Row) -> str:
    """One claim as an item of a list."""
    parts = [f"- **{row['verdict']}**: {row['statement']} ({row['place']}; about {SCOPE[row['quantifier']]}.)"]
    if seen(row):
        parts.append(f"*Seen:* {seen(row)}. *From what size it matters:* {least(row)}.")
    told = _tell({**row, "ours": nan})
    basis = [data] if (data := basis_of(row)) else []
    basis += [sure(row)] if seen(row) else []
    parts += [f"*On:* {'; '.join([*basis, *([told] if told else [])])}."] if basis or told else []
    return f"{' '.join(parts).replace('|', BACKSLASH + '|')} `{row['claim']}`"


def basis_of(row: Row) -> str:
    """What data it rests on, and whether anyone has vouched for it."""
    grade, _, doubt = str(row["grade"]).partition(", ")
    return f"{BASIS.get(grade, '')}{f' ({doubt})' if doubt else ''}"


def least(row: Row) -> str:
    """The smallest effect that matters, and the reason."""
    value = float(row["threshold"])
    size = f"{value:g}" if value >= 1e-3 else amount(value)
    return f"{size} {row['unit']} ({row['why']})"
