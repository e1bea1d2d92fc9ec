"""What the multiverse can be asked for, and the plan of every universe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from replication.engine.checking import checked, unknown, within
from replication.engine.plan import Figure, extending, figures_of, papers, plan
from replication.settings import Count, Distinct, Text, settings
from unveil.errors import UnveilError, require

#: The universe from which each of the others differs in one choice.
BASE, AS_STATED = "base", "as stated"
#: At a figure's own size, or smaller.
FULL, REDUCED = "full", "reduced"


@settings
class Study:
    """What a figure's protocol could as well have been.

    What stands under a key like one of `without` is left out of the figure's block. Over that is laid, one at a time,
    every value of every choice in `full`: at the figure's own size, so that verdicts may hang on it. Over it with
    `reduced` laid first, every value of `choices`: hints, which turn no verdict. `chunk` universes are one job.
    """

    without: Distinct[Text] = ()
    reduced: dict[str, Any] = field(default_factory=dict)
    chunk: Count = 1
    choices: dict[Text, dict[Text, dict[str, Any]]] = field(default_factory=dict)
    full: dict[Text, dict[Text, dict[str, Any]]] = field(default_factory=dict)


#: By paper and figure; null where a figure is not studied.
Studies = dict[str, dict[str, Study | None]]


@dataclass(frozen=True)
class Universe:
    """A figure under one choice, the others as they are in the base; at its own size (`full`) or `reduced`."""

    choice: str
    value: str
    figure: Figure
    scale: str

    @property
    def name(self) -> str:
        """`fig6/base`, or `fig6/solver=ridge`."""
        return f"{self.figure.name}/{universe(self.choice, self.value)}"


def universe(choice: str, value: str) -> str:
    """What a universe is called within its figure."""
    return BASE if choice == BASE else f"{choice}={value}"


def studied(
    config: Mapping[str, Any], known: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], tuple[tuple[Universe, ...], int]]:
    """All universes of each figure that is studied and configured, and how many of them are one job."""
    wanted = checked(Studies, config.get("multiverse") or {}, within("multiverse"))
    found = {}
    for paper, studies in wanted.items():
        _require_known("multiverse", paper, papers(), "paper")
        for name, study in studies.items():
            _require_known(f"multiverse.{paper}", name, figures_of(paper), "figure")
            block = config["papers"].get(paper, {}).get("figures", {}).get(name)
            if study is not None and block is not None:
                found[paper, name] = tuple(_universes(config, known, paper, name, study, block)), study.chunk
    return found


def _universes(
    config: Mapping[str, Any],
    known: Mapping[str, Sequence[str]],
    paper: str,
    name: str,
    study: Study,
    block: Mapping[str, Any],
) -> Iterator[Universe]:
    for pattern in study.without:
        where = f"configuration, multiverse.{paper}.{name}.without"
        require(_has(block, pattern), f"{where}: nothing in the figure's block is called '{pattern}'")
    full = _leave_out(block, study.without)
    reduced = _leave_out(lay_over(block, study.reduced), study.without)
    public, blocks = (config["papers"][paper][key] for key in ("public", "figures"))
    others = {base: blocks[base] for base in extending(blocks, name)}
    for scale, choice, value, overlay in _overlays(study):
        under = lay_over(full if scale == FULL else reduced, overlay)
        own = {paper: {"public": public, "figures": {**others, name: under}}}
        try:
            figures = plan({**config, "papers": own}, known)
        except UnveilError as error:
            said = str(error).removeprefix("configuration, ")
            place = f"multiverse.{paper}.{name}, {universe(choice, value)}"
            raise UnveilError(f"configuration, {place}: {said}") from None
        yield Universe(choice, value, figures[paper, name], scale)


def _overlays(study: Study) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """By scale, choice and value, what is laid over the figure; over the reduced base, nothing."""
    if study.choices:
        yield REDUCED, BASE, AS_STATED, {}
    for scale, choices in ((REDUCED, study.choices), (FULL, study.full)):
        for choice, values in choices.items():
            yield from ((scale, choice, value, overlay) for value, overlay in values.items())


def lay_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `over` over `base` as the layers of the configuration are: mappings key by key, everything else whole."""
    both = [key for key in base if isinstance(base[key], Mapping) and isinstance(over.get(key), Mapping)]
    return {**base, **over, **{key: lay_over(base[key], over[key]) for key in both}}


def _leave_out(block: Any, without: Sequence[str]) -> Any:
    """The block without what stands under such keys, at any depth."""
    if not isinstance(block, Mapping):
        return block
    kept = (key for key in block if not any(fnmatchcase(str(key), pattern) for pattern in without))
    return {key: _leave_out(block[key], without) for key in kept}


def _has(block: Any, pattern: str) -> bool:
    if not isinstance(block, Mapping):
        return False
    return any(fnmatchcase(str(key), pattern) or _has(inner, pattern) for key, inner in block.items())


def _require_known(where: str, word: str, known: Sequence[str], what: str) -> None:
    require(word in known, f"configuration, {where}: {unknown(word, known, what)}")
