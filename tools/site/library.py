"""A page for every public name: its docstring, and the guarantees, figures and verdicts behind it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

import unveil
from tools.site.collected import Collected
from tools.site.markup import directive, heading
from tools.site.papers import counted, texts, title

#: The rooms of the library, in the order of the page, and what stands in them.
ROOMS = {
    "protocols": "What leaves an owner",
    "mechanisms": "Mechanisms: the owner's side",
    "estimators.moments": "Learning from moments",
    "estimators.counts": "Learning from tag counts",
    "estimators.bags": "Learning from sets with proportions",
    "estimators.statistics": "Learning from one noisy statistic",
    "estimators.spread": "Learning from noisy records",
    "estimators": "Learning from labels' means",
    "privacy": "What is really given away",
    "theory": "Theory",
    "": "All else",
}

Places = Mapping[str, Sequence[tuple[str, str]]]


def room(module: str) -> str:
    """The most particular room that a module stands in."""
    return max((name for name in ROOMS if f"{module}.".startswith(f"{name}.") or not name), key=len)


def pages(collected: Collected, places: Places) -> Iterator[tuple[str, str]]:
    """Names of files and their content: the list of all public names, and a page for each."""
    names = sorted(unveil._HOME, key=str.lower)
    parts = [".. _library:\n", heading("Library"), OPENING]
    for name, words in ROOMS.items():
        here = [public for public in names if room(unveil._HOME[public]) == name]
        rows = "\n".join(f"- :doc:`{public} <{public}>`: {first_line(public)}" for public in here)
        parts += [heading(words, "-"), rows + "\n"] if here else []
    parts.append(directive("toctree", "", "\n".join(names), hidden=""))
    yield "library/index.rst", "\n".join(parts)
    for public in names:
        yield f"library/{public}.rst", page(collected, public, places.get(public, ()))


OPENING = """Every name can be imported from ``unveil``. A mechanism's ``publish`` makes a
:doc:`Release <Release>`; an estimator's ``fit`` takes one.
"""


def first_line(name: str) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(getattr(unveil, name)) or "").partition("\n")[0]


def page(collected: Collected, name: str, places: Sequence[tuple[str, str]]) -> str:
    """What it does, and what stands behind it."""
    thing = getattr(unveil, name)
    kind = "autoclass" if inspect.isclass(thing) else "autofunction"
    options = {"members": ""} if inspect.isclass(thing) else {}
    parts = [f".. _api-{name}:\n", heading(name), directive(kind, f"unveil.{name}", **options)]
    parts += [heading("Behind it", "-"), "\n".join(behind(collected, places)) + "\n"] if places else []
    return "\n".join(parts)


def behind(collected: Collected, places: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The guarantees and the figures that rest on a name, and how the claims about these fared."""
    claims = collected.claims
    for paper in dict.fromkeys(paper for paper, _ in places):
        figures = [figure for owner, figure in places if owner == paper and figure != "guarantees"]
        links = ", ".join(f":ref:`{title(figure).lower()} <figure-{paper}-{figure}>`" for figure in figures)
        own: pd.DataFrame = claims[(claims["paper"] == paper) & claims["figure"].isin(figures)]
        fared = f"; claims about them: {counted(own)}" if len(own) else ""
        yield from [f"- :ref:`{texts()[paper]['title']} <paper-{paper}>`: {links}{fared}"] if links else []
        if (paper, "guarantees") in places and len(collected.guarantees):
            yield f"- :ref:`What it really gives away <guarantees-{paper}>`"
