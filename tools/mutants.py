"""How many small mistakes in the code that privacy and recovery rest on do the tests find? docs/mutation.md says it.

`python -m tools.mutants [group …] [--each N] [--again] [--page]` plants mistakes with mutmut, in copies of the project
under `.cache/mutants`, and runs each group's tests on them. Of a group's mutants it takes N at random, always the same
ones; with `--again` those that lived the last time; with `--page` it only writes the page anew, from what earlier runs
found. `make mutants` calls it.

mutmut changes no function with a decorator, so the compiled kernels of the exact samplers are left out: these are
enumerated by tests/unveil/mechanisms/test_exact_sampling.py, and tests/faults/test_planted.py plants mistakes in them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from unveil.errors import require

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".cache" / "mutants"
PAGE = ROOT / "docs" / "mutation.md"
#: What was found, and why a mutant that lives is no mistake.
FOUND, REASONS = (ROOT / "tools" / "mutation" / name for name in ("found.json", "reasons.yaml"))
#: mutmut's exit codes of a mutant's tests: they passed, or none of them runs it.
SURVIVED, UNTESTED = 0, (5, 33)
SEED = 1
PROGRAM = Path(sys.executable).with_name("mutmut")


class Group(NamedTuple):
    """Modules, and the tests that have to find mistakes in them."""

    modules: Sequence[str]
    tests: Sequence[str]


_MECHANISMS, _PRIVACY, _ENGINE = "tests/unveil/mechanisms", "tests/unveil/privacy", "tests/replication/engine"
GROUPS = {
    "exact noise": Group(
        [f"src/unveil/mechanisms/{name}.py" for name in ("exact_sums", "exact_sampling", "exact_response", "entropy")],
        [f"{_MECHANISMS}/test_{name}.py" for name in ("exact_mechanisms", "exact_sampling")],
    ),
    "discrete Gaussian": Group(
        [f"src/unveil/{name}/discrete_gaussian.py" for name in ("mechanisms", "privacy")],
        [f"{_MECHANISMS}/test_discrete_gaussian.py"],
    ),
    "privacy": Group(
        [f"src/unveil/privacy/{name}.py" for name in ("channels", "count_noise", "pair", "composition")],
        [f"{_PRIVACY}/test_{name}.py" for name in ("channels", "count_noise", "pair", "composition")],
    ),
    "ledger and files": Group(
        ["src/unveil/ledger.py", "src/unveil/files.py"], ["tests/unveil/test_ledger.py", "tests/unveil/test_files.py"]
    ),
    # What runs in a process of its own is not seen by mutmut: here the same code is called in this one.
    "boundary": Group(["src/replication/engine/boundary.py"], [f"{_ENGINE}/test_watch.py"]),
    "seals": Group(
        [f"src/replication/engine/{name}.py" for name in ("seal", "storage")],
        [f"{_ENGINE}/test_{name}.py" for name in ("seal", "storage")],
    ),
    "run lock": Group(["src/replication/engine/runs.py"], [f"{_ENGINE}/test_{name}.py" for name in ("lock", "runs")]),
}


def run(name: str, each: int) -> dict[str, Any]:
    """Plant `each` of a group's mutants: how many there are, were planted and found, and the diffs of the others."""
    known, place = _made(name)
    chosen = sorted(random.Random(SEED).sample(sorted(known), min(each, len(known))))  # noqa: S311 - nothing secret
    return {"mutants": len(known), "planted": len(chosen), "living": _planted(place, name, chosen)}


def again(name: str, before: dict[str, Any]) -> dict[str, Any]:
    """Plant only those that lived when the tests were others; the group's code must still be the same."""
    known, place = _made(name)
    same = len(known) == before["mutants"] and before["living"].keys() <= known
    require(same, f"the code of '{name}' has changed; plant its mutants without --again")
    return {**before, "living": _planted(place, name, sorted(before["living"]))}


def _made(name: str) -> tuple[set[str], Path]:
    """The names of a group's mutants, and where they lie."""
    place = _copied(name)
    # A first call makes the mutants and learns which tests run which function; no mutant has that name.
    _mutmut(place, "none")
    known = set(_codes(place))
    require(known, f"mutmut made no mutants of '{name}'; what it said is in {place / 'said.txt'}")
    return known, place


def _planted(place: Path, name: str, chosen: Sequence[str]) -> dict[str, str]:
    """Run the tests on each of these mutants; the diffs of those that live."""
    if not chosen:
        return {}
    _mutmut(place, *chosen)
    codes = _codes(place)
    living = [mutant for mutant in chosen if codes[mutant] in (SURVIVED, *UNTESTED)]
    undecided = [mutant for mutant in chosen if codes[mutant] is None]
    require(not undecided, f"mutmut did not get to {len(undecided)} mutants of '{name}'; see {place / 'said.txt'}")
    return {mutant: _diff(place, mutant) for mutant in living}


def _copied(name: str) -> Path:
    """The project as it stands, with mutmut's settings for this group."""
    place = WORK / name.replace(" ", "-")
    shutil.rmtree(place, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    files = [Path(file) for file in listed.split("\0") if file and not file.startswith("docs/gallery")]
    for file in files:
        if (ROOT / file).is_file():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, place / file)
    tops = {file.parts[0] for file in files} - {"src", "tests", "pyproject.toml"}
    settings = {
        "source_paths": ["src"],
        "only_mutate": list(GROUPS[name].modules),
        "also_copy": sorted(tops),
        "pytest_add_cli_args_test_selection": list(GROUPS[name].tests),
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-m", "not slow and not pipeline and not faults"],
        # Elsewhere the machine may be busier; a mistake without an end is stopped after a few seconds of its own.
        "timeout_multiplier": 5.0,
        "timeout_constant": 5.0,
        "use_git_change_detection": False,
        "use_setproctitle": False,
    }
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    with (place / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write(f"\n[tool.mutmut]\n{lines}")
    return place


def _mutmut(place: Path, *mutants: str) -> None:
    require(PROGRAM.is_file(), "mutmut is not installed; run: make mutants")
    command = [str(PROGRAM), "run", "--max-children", "1", *mutants]
    with (place / "said.txt").open("a", encoding="utf-8") as said:
        subprocess.run(command, cwd=place, stdout=said, stderr=said, check=False)  # noqa: S603 - our own


def _codes(place: Path) -> dict[str, int | None]:
    """The exit code of every mutant's tests."""
    codes: dict[str, int | None] = {}
    for path in sorted((place / "mutants").rglob("*.py.meta")):
        codes |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return codes


def _diff(place: Path, mutant: str) -> str:
    """The lines that a mutant takes out and puts in."""
    command = [str(PROGRAM), "show", mutant]
    said = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own
    return "\n".join(line for line in said.splitlines() if re.match(r"[-+](?![-+])", line))


def page(found: dict[str, Any], reasons: dict[str, str]) -> str:
    """The table of all groups, and every mutant that lives with the reason why."""
    head = PAGE.read_text(encoding="utf-8").split("<!-- found -->")[0]
    lines = ["| code | mutants | planted | found | explained | open |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    told = []
    sums = [0, 0, 0, 0, 0]
    for name in GROUPS:
        if name not in found:
            lines.append(f"| {name} | not planted yet | | | | |")
            continue
        own = found[name]
        explained = [diff for diff in own["living"].values() if diff in reasons]
        numbers = [own["mutants"], own["planted"], own["planted"] - len(own["living"])]
        numbers += [len(explained), len(own["living"]) - len(explained)]
        sums = [total + number for total, number in zip(sums, numbers, strict=True)]
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} |")
        told += [_told(mutant, diff, reasons) for mutant, diff in own["living"].items()]
    lines.append(f"| **all** | {' | '.join(map(str, sums))} |")
    if sums[1]:
        share = (sums[2] + sums[3]) / sums[1]
        lines += ["", f"**Score**: {share:.1%} of the mutants that were planted are found, or change nothing."]
    return f"{head}<!-- found -->\n" + "\n".join([*lines, "", "## The mutants that live", "", *told]).rstrip() + "\n"


def _told(mutant: str, diff: str, reasons: dict[str, str]) -> str:
    place = re.sub(r"__mutmut_\d+$", "", mutant).replace("xǁ", "").replace("ǁ", ".").replace(".x_", ".")
    return f"`{place}`: {reasons.get(diff, 'open.')}\n\n```diff\n{diff}\n```\n"


def _found() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.is_file() else {}
    return known


def main(arguments: Sequence[str]) -> None:
    """Plant, remember what was found, write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--each", type=int, default=1_000_000, help="so many of a group's mutants, at random")
    parser.add_argument("--again", action="store_true", help="only those that lived: have better tests found them?")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    options = parser.parse_args(arguments)
    found = _found()
    for name in () if options.page else options.groups or GROUPS:
        own = again(name, found[name]) if options.again else run(name, options.each)
        found = {**_found(), name: own}  # groups may be tried at the same time
        FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    reasons = {entry["diff"].strip("\n"): entry["why"] for entry in yaml.safe_load(REASONS.read_text("utf-8")) or []}
    PAGE.write_text(page(found, reasons), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
