"""A claim in words, from its row of the table of claims: captions, pages and reports say the same of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, isinf, isnan, log10
from typing import Any

Row = Mapping[str, Any]

#: What a verdict rests on, by the grade of its data.
BASIS = {
    "full": "the paper's data",
    "subset": "a subset of the paper's data",
    "stand-in": "a stand-in for the paper's data",
    "no data": "no data set",
}
#: How much of its settings a claim speaks of.
SCOPE = {"all": "all", "typical": "typical", "some": "some", "number": "a number"}
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
        return amount(ours)
    width = (high - low) / 2
    return f"{amount(ours, width)} ({amount(low, width)} to {amount(high, width)})"


def seen(row: Row) -> str:
    """The quantity, what was printed and what we saw of it, in which setting."""
    if isnan(float(row["ours"])):
        return ""
    printed = float(row["printed"])
    beside = "" if isnan(printed) else f", where {printed:g} is printed"
    return f"{row['quantity']}: {span(row)} {row['unit']}{beside}{_where(row)}"


def _where(row: Row) -> str:
    if int(row["settings"]) < 2:
        return ""
    if row["quantifier"] == "typical":
        return f", the mean over {row['settings']} settings"
    kind = "most" if row["quantifier"] == "some" else "least"
    return f", at {row['shown']}, the {kind} favourable of {row['settings']} settings"


def sure(row: Row) -> str:
    """How sure that is."""
    if isnan(float(row["ours"])):
        return "not known"
    if not int(row["trials"]):
        return "exact"
    together = " for all settings together" if int(row["settings"]) > 1 and row["quantifier"] != "typical" else ""
    return f"95 % interval{together}, {row['trials']} trials"


def sentence(row: Row) -> str:
    """The claim, its verdict and its numbers, as one sentence."""
    statement = str(row["statement"]).rstrip(".")
    told = _told(row)
    note = f" ({told})" if told else ""
    return f"{statement}: {row['verdict']}{note}."


def _told(row: Row) -> str:
    """What stands behind the verdict; where all settings agree with it, they need not be listed."""
    note = "" if str(row["note"]) == "nan" else str(row["note"])
    plain = row["verdict"] == "reproduced" and row["quantifier"] != "typical"
    return "; ".join(part for part in (seen(row), "" if plain else note) if part)
