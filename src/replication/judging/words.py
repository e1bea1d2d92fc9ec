"""A claim in words, from its row of the table of claims: pages, captions, report and terminal say the same of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import e, floor, isclose, isinf, isnan, log10
from typing import Any, NamedTuple

import pandas as pd

from replication import style
from replication.judging.verdicts import FEWEST_TO_AVERAGE, Outcome
from replication.palette import METHODS, VERDICTS

Row = Mapping[str, Any]
BACKSLASH = "\\"
#: Where a paper has no data of its own, all data is of our choice.
WITHOUT_DATA = ("mean_operator", "crossover")
#: The share of what matters below which a number is rounding.
ROUNDING = 1e-4
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: What a verdict rests on, by the grade of its data.
BASIS = {
    "full": "the paper's data",
    "subset": "a subset of it",
    "stand-in": "a stand-in",
    "no data": "exact or simulated",
}


class Unit(NamedTuple):
    """How numbers of a unit are read: what they are multiplied with, the word behind them, the base of a logarithm."""

    factor: float
    word: str
    base: float = 0.0


_POINTS, _SHARE, _PERCENT, _TIMES = Unit(1, " points"), Unit(100, " points"), Unit(100, " %"), Unit(1, " times", e)
_L1, _NATS, _PLAIN = Unit(1, " L1"), Unit(1, " nats"), Unit(1, "")
#: The units of the claims' quantities, by the word that each begins with, as a reader meets them.
UNITS: Mapping[str, Unit] = {
    "points": _POINTS,
    "percentage points": _POINTS,
    "share of the loss": _PERCENT,
    "share": _SHARE,
    "probability": _SHARE,
    "total variation": _SHARE,
    "relative efficiency": _SHARE,
    "relative": _PERCENT,
    "of the": _PERCENT,
    "of α": _PERCENT,
    "per cent": Unit(1, " %"),
    "factor": _TIMES,
    "orders of magnitude": Unit(1, " times", 10.0),
    "L1": _L1,
    "R²": Unit(1, " of R²"),
    "skill": Unit(100, " points of skill"),
    "nats": _NATS,
    "ε": Unit(1, " of ε"),
    "α": Unit(1, " of α"),
    "degrees": Unit(1, "°"),
    "members": Unit(1, " members"),
} | dict.fromkeys(
    ("exponent", "weight", "θ", "coefficient", "loss", "statistic", "squared statistic", "scales of the noise"), _PLAIN
)

_LAID = r"(?:(?P<what>[^,]+), )??(?P<one>[^,]+?),? {} (?P<other>[^,]+)(?:, (?P<where>.+))?"
#: Quantities that compare two things, as a difference and as a factor: what, one, the other, where.
_DIFFERENCE, _RATIO = (re.compile(_LAID.format(how)) for how in ("(?:minus|less|beyond)", "over(?! all)"))
#: Names of arms and data sets in a setting, as they stand in scores.
_NAMED = {name: look.label for name, look in METHODS.items() if "_" in name or name in ("mmd", "psvm", "em")}
_NAMED |= {"laplace": "Laplace", "gaussian": "Gaussian", "mnist": "MNIST", "census": "Census", "higgs": "HIGGS"}
_NAMED |= {"twitter": "Twitter", "youtube": "YouTube", "acoustic": "Acoustic", "less": "minus"}


def unit_of(row: Row) -> Unit:
    """How the numbers of a claim are read."""
    unit = str(row["unit"])
    return next((found for name, found in UNITS.items() if unit.startswith(name)), Unit(1, f" {unit}"))


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


def name_arms(text: str) -> str:
    """Words without the names that only files use."""
    return re.sub(r"\b[a-z]\w*\b", lambda name: _NAMED.get(name[0], name[0].replace("_", " ")), text)


def _compare(row: Row) -> re.Match[str] | None:
    """The parts of a quantity that compares two things, if it does."""
    return (_RATIO if unit_of(row).base else _DIFFERENCE).fullmatch(str(row["quantity"]))


def span(row: Row, toward: int = 1) -> str:
    """What we saw, with its interval where there is chance, and its unit; `toward` -1 turns the sign round."""
    unit, matters = unit_of(row), float(row["threshold"])
    ours, low, high = (float(row[name]) for name in ("ours", "low", "high"))
    if max(abs(low), abs(high)) <= ROUNDING * matters:
        return "equal, to rounding" if unit.base else "0, to rounding"
    values = [unit.base**value if unit.base else toward * unit.factor * value for value in (ours, low, high)]
    if low == high:
        return f"{amount(values[0])}{unit.word}"
    # One digit of the interval's width is enough to read.
    least, most = sorted(values[1:])
    said = [amount(value, 5 * (most - least) / 2) for value in (values[0], least, most)]
    return f"{said[0]}{unit.word} ({said[1]} to {said[2]})"


def printed(row: Row) -> str:
    """The number that the paper prints, if it prints one, and the range that counts as agreeing with it."""
    number = float(row["printed"])
    if isnan(number):
        return ""
    # The margin is what is left of the reach, in units of what matters.
    reach = float(row["margin"]) * float(row["threshold"]) + abs(float(row["ours"]) - number)
    near = [f"{unit_of(row).factor * (number + gap):.4g}" for gap in (0, -reach, reach)]
    return "{} printed; {} to {} would agree".format(*near).replace("-", "−")


def brief(row: Row) -> str:
    """What we found, in the fewest words: a number with its direction, and whether it is too small to matter."""
    if isnan(float(row["ours"])):
        return "no result"
    if unit_of(row).base or not _compare(row):
        return span(row) + _too_small(row)
    # A difference is said in the direction that it has, not as a negative number.
    below = float(row["ours"]) < 0
    said = f"{span(row, -1 if below else 1)} {'below' if below else 'above'}{_too_small(row)}"
    return "equal, to rounding" if said.startswith("0, to rounding") else said


def _too_small(row: Row) -> str:
    """Whether a difference that is there is too small to matter."""
    ours, matters = float(row["ours"]), float(row["threshold"])
    difference = isclose(float(row["margin"]) * matters, ours, rel_tol=1e-6)
    there = difference and row["verdict"] == Outcome.CONTRADICTED and ROUNDING * matters < ours < matters
    return ", too small to matter" if there else ""


def found(row: Row, where: bool = True) -> str:
    """What we found, in words and with a direction, and `where`: in which setting."""
    if isnan(float(row["ours"])):
        return name_arms("nothing here speaks to it" if str(row["note"]) == "nan" else str(row["note"]))
    said, compared = brief(row), _compare(row)
    if compared:
        what, one, other, place = compared.groups()
        said = said.replace("equal, to rounding", "equal to").removesuffix(_too_small(row))
        said = f"{f'{what}: ' if what else ''}{one} came out {said} {other}{f', {place}' if place else ''}"
        said += _too_small(row)
    else:
        said = f"{row['quantity']}: {said}"
    beside = f" ({printed(row)})" if printed(row) else ""
    return f"{capitalise(said)}{beside}{_where(row) if where else ''}"


def capitalise(text: str) -> str:
    """A sentence begins with a capital, unless it begins with a symbol."""
    return text[0].upper() + text[1:] if text[:1].isascii() and text[1:2].islower() else text


def _where(row: Row) -> str:
    if int(row["settings"]) < 2:
        return ""
    if row["quantifier"] == "typical" and int(row["settings"]) >= FEWEST_TO_AVERAGE:
        return f"; mean of {row['settings']} settings"
    kind = "most" if row["quantifier"] == "some" else "least"
    return f"; at {name_arms(str(row['shown']))}, the {kind} favourable of {row['settings']} settings"


def sure(row: Row) -> str:
    """How sure that is."""
    if isnan(float(row["ours"])):
        return ""
    return f"95 % interval, {row['trials']} trials" if int(row["trials"]) else "exact"


def basis_of(row: Row) -> str:
    """What data it rests on, and whether anyone has vouched for it."""
    grade, _, doubt = str(row["grade"]).partition(", ")
    chosen = row["paper"] in WITHOUT_DATA and grade != "no data" and grade in BASIS
    return f"{'data of our choice' if chosen else BASIS.get(grade, '')}{f' ({doubt})' if doubt else ''}"


def finding(row: Row) -> str:
    """What is seen of a claim, as one sentence: the claim itself where it holds."""
    short = capitalise(str(row["short"]).lstrip("… ").rstrip("."))
    holds = row["verdict"] == Outcome.REPRODUCED
    return f"{short}." if holds else f"{capitalise(VERDICTS[str(row['verdict'])].label)}: {short}."


def lead(rows: Iterable[Row]) -> Row | None:
    """The claim that a picture is about before all others: its headline claim, or the first where none is marked."""
    return next(iter(sorted(rows, key=_is_headline, reverse=True)), None)


def hangs_on(row: Row) -> str:
    """The open choices that turn a verdict, if any does."""
    names = "" if str(row.get("hangs_on", "nan")) == "nan" else str(row["hangs_on"])
    return f"hangs on {' and '.join(name.replace('-', ' ') for name in names.split())}" if names else ""


def headlines(rows: Iterable[Row]) -> list[Row]:
    """The headline claims among a paper's own; all of its own where none is marked."""
    own = [row for row in rows if row["origin"] == "paper"]
    return [row for row in own if _is_headline(row)] or own


def _is_headline(row: Row) -> bool:
    return str(row.get("headline", "")).lower() == "true"


def tally(rows: Iterable[Row]) -> str:
    """How many of some claims hold, and how many hang on a choice that the paper leaves open."""
    claims = list(rows)
    holds = sum(row["verdict"] == Outcome.REPRODUCED for row in claims)
    hang = sum(bool(hangs_on(row)) for row in claims)
    hanging = f", {hang} hang{'s' * (hang == 1)} on choices the paper leaves open" if hang else ""
    return f"Claims: {holds} of {len(claims)} hold{hanging}." if claims else ""


def count(rows: Iterable[Row]) -> str:
    """How many of some claims have which verdict, as a sentence's end: `3 hold, 1 is mixed, 2 fail`."""
    verdicts = [str(row["verdict"]) for row in rows]
    parts = []
    for name, look in VERDICTS.items():
        if number := verdicts.count(name):
            verb = look.label.removesuffix("s") if name in ("reproduced", "contradicted") else f"are {look.label}"
            alone = look.label if name in ("reproduced", "contradicted") else f"is {look.label}"
            parts.append(f"{number} {alone if number == 1 else verb}")
    return ", ".join(parts) or "none is judged"


def summarise(rows: Iterable[Row]) -> str:
    """How a paper's headline claims stand, and which of them fail."""
    claims = headlines(rows)
    failing = [str(row["short"]).rstrip(".") for row in claims if row["verdict"] == Outcome.CONTRADICTED]
    fails = f" Fails: {'; '.join(failing)}." if failing else ""
    return f"of {len(claims)} headline claims {count(claims)}.{fails}"


VOCABULARY = """\
- **● holds**: a claim about *all* settings holds in each; about the *typical* one, in two thirds or the share that it
  names; about *some*, in one; a *number* agrees up to its rounding and what matters.
- **■ fails**: one of all settings fails; that share of the typical ones; all where some should hold; or the number is
  another one; and no reading that the paper leaves open saves it.
- **◐ mixed**: it holds in some settings or under some readings and fails in others, or does either on a stand-in.
- **○ open**: the intervals cannot tell. **– not tested**: nothing here speaks to it.
"""

BOLD = "In **bold**: what the papers claim in their abstracts, introductions and conclusions."


def page(claims: pd.DataFrame, titles: Mapping[str, str], link: Callable[[Row], str]) -> str:
    """Every claim on a line of at most 25 words, with a link to where it is measured, in Markdown."""
    lines = ["# What holds", "", "Made by `make gallery` from `results/claims.csv`.", "", VOCABULARY, BOLD, ""]
    own = claims[claims["origin"] == "paper"]
    lines += [style.markdown_table(_totals(own, titles))]
    for paper, part in claims.groupby("paper", sort=False):
        for origin, title in (("paper", "{}"), ("beyond", "{}: what we ask beyond it")):
            rows = part[part["origin"] == origin].to_dict("records")
            if rows:
                lines += [f"## {title.format(titles.get(str(paper), str(paper)))}", ""]
                lines += ["| verdict | claim | found |", "| --- | --- | --- |"]
                lines += [_line(row, link(row)) for row in rows] + [""]
    return "\n".join(lines)


def _totals(claims: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """How many claims of each paper have which verdict."""
    counts = pd.crosstab(claims["paper"], claims["verdict"])
    counts = counts.reindex(index=claims["paper"].unique(), columns=list(VERDICTS), fill_value=0)
    counts.loc["all"] = counts.sum()
    counts = counts.rename(columns={name: look.label for name, look in VERDICTS.items()})
    counts.insert(0, "paper", [titles.get(str(paper), str(paper)) for paper in counts.index])
    return counts.reset_index(drop=True)


def _line(row: Row, target: str) -> str:
    look = VERDICTS[str(row["verdict"])]
    short = capitalise(str(row["short"]).rstrip("."))
    bold = "**" * _is_headline(row)
    cells = [f"{look.symbol} {look.label}", f"[{bold}{short}{bold}]({target})", brief(row)]
    return f"| {' | '.join(cell.replace('|', BACKSLASH + '|') for cell in cells)} |"


def least(row: Row) -> str:
    """The smallest effect that matters, and the reason."""
    unit, value = unit_of(row), float(row["threshold"])
    size = unit.base**value if unit.base else unit.factor * value
    return f"{f'{size:.3g}' if size >= 1e-3 else amount(size)}{unit.word} ({row['why']})"
