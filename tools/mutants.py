"""How many small mistakes in what privacy, recovery and results rest on do the tests find? docs/mutation.md says it.

`python -m tools.mutants [group …] [--each N] [--again] [--page]` plants mistakes with mutmut, in copies of the project
under `.cache/mutants`, and runs each group's tests on them: on N of its mutants at random, always the same ones; with
`--again` on those that lived when last planted. With `--page` it only writes the page anew, from what earlier runs
found. `make mutants` calls it.

mutmut changes no function with a decorator, so compiled kernels are left out: tests/faults/test_planted.py plants
mistakes in those of the mean operator. What changes only the words of a message is not planted: no test holds them.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from replication.style import markdown_table
from tools.configuration import load_templates
from unveil.errors import require

ROOT = Path(__file__).resolve().parents[1]
WORK, PAGE = ROOT / ".cache" / "mutants", ROOT / "docs" / "mutation.md"
#: What was found, and why a mutant that lives is no mistake.
FOUND, REASONS = (ROOT / "tools" / "mutation" / name for name in ("found.json", "reasons.yaml"))
#: mutmut's exit codes of a mutant's tests that do not find it: they passed, or none of them runs it.
LIVES = (0, 5, 33)
#: What the copies do without.
LEFT_OUT = (".*", "__pycache__", "gallery", "raw", "prepared", "results", "figures", "_site", "report", "logs")
PROGRAM = Path(sys.executable).with_name("mutmut")
_MECHANISMS, _PRIVACY, _ENGINE = "tests/unveil/mechanisms", "tests/unveil/privacy", "tests/replication/engine"
_ESTIMATORS = "tests/unveil/estimators"
#: Modules, and the tests that have to find mistakes in them.
GROUPS = {
    "exact noise": (
        [f"src/unveil/mechanisms/{name}.py" for name in ("exact_sums", "exact_sampling", "exact_response", "entropy")],
        [f"{_MECHANISMS}/test_{name}.py" for name in ("exact_mechanisms", "exact_sampling")],
    ),
    "discrete Gaussian": (
        ["src/unveil/mechanisms/exact_gaussian.py", "src/unveil/privacy/discrete_gaussian.py"],
        [f"{_MECHANISMS}/test_discrete_gaussian.py"],
    ),
    "privacy": (
        [f"src/unveil/privacy/{name}.py" for name in ("channels", "count_noise", "pair", "composition")],
        [f"{_PRIVACY}/test_{name}.py" for name in ("channels", "count_noise", "pair", "composition")],
    ),
    "ledger and files": (
        ["src/unveil/ledger.py", "src/unveil/files.py"],
        ["tests/unveil/test_ledger.py", "tests/unveil/test_files.py"],
    ),
    # What runs in a process of its own is not seen by mutmut: here the same code is called in this one.
    "boundary": (["src/replication/engine/boundary.py"], [f"{_ENGINE}/test_watch.py"]),
    "seals": (
        [f"src/replication/engine/{name}.py" for name in ("seal", "storage")],
        [f"{_ENGINE}/test_{name}.py" for name in ("seal", "storage")],
    ),
    "run lock": (["src/replication/engine/runs.py"], [f"{_ENGINE}/test_runs.py"]),
    # What many use is tested where it is used, too.
    "numerics": (
        ["src/unveil/numerics/*"],
        [
            "tests/unveil/numerics",
            *(f"{_MECHANISMS}/test_{name}.py" for name in ("coordinate", "exact_moments", "operator_tally")),
            *(f"{_ESTIMATORS}/{name}.py" for name in ("moments/test_product_releases", "spread/test_tables")),
        ],
    ),
    **{
        name: (
            [f"src/unveil/estimators/{name}/*"],
            [
                f"{_ESTIMATORS}/{name}",
                *(f"{_ESTIMATORS}/test_{of}.py" for of in ("intervals", "metamorphic")),
                "tests/unveil/command/test_states.py",
                "tests/unveil/protocols",
            ],
        )
        for name in ("moments", "statistics", "bags", "counts", "spread")
    },
    "judge": (
        [f"src/replication/judging/{name}.py" for name in ("judge", "verdicts", "statistics")],
        ["tests/replication/judging"],
    ),
    "command": (["src/unveil/command/*", "src/unveil/advice/*"], ["tests/unveil/command", "tests/unveil/advice"]),
}

#: They start a process of its own, which mutmut neither sees nor lets begin outside the copy, or stop it at each call.
_APART = [
    f"--deselect=tests/unveil/command/{test}"
    for test in (
        "test_main.py::test_the_owner_is_confined",
        "test_main.py::test_help_loads_no_heavy_library",
        "test_main.py::test_the_shell_completes",
        "test_paying.py::test_a_fault_after_the_spending_loses_nothing",
        "test_progress.py::test_the_bar_is_for_terminals",
    )
]


def plant(name: str, each: int, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Plant `each` of a group's mutants, or what lived before: how many there are, were planted, and what lives."""
    place = copy_project(name)
    # A first call makes the mutants and learns which tests run which function; no mutant has that name.
    known = sorted(_run_mutmut(place, "none").keys() - find_wordings(place / "mutants" / "src"))
    drawn = random.Random(1).sample(known, min(each, len(known)))  # noqa: S311 - nothing secret
    chosen = sorted(before["living"] if before else drawn)
    codes = _run_mutmut(place, *chosen) if chosen else {}
    done = all(codes[mutant] is not None for mutant in chosen)
    require(done, f"mutmut did not get to all mutants of '{name}'; what it said is in {place / 'said.txt'}")
    living = {mutant: _show_diff(place, mutant) for mutant in chosen if codes[mutant] in LIVES}
    return {"mutants": len(known), "planted": before["planted"] if before else len(chosen), "living": living}


def copy_project(name: str) -> Path:
    """The project as it stands, with mutmut's settings for this group."""
    place = WORK / name.replace(" ", "-")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    settings = {
        "source_paths": ["src"],
        "only_mutate": GROUPS[name][0],
        "also_copy": sorted({path.name for path in place.iterdir()} - {"src", "tests", "pyproject.toml"}),
        "pytest_add_cli_args_test_selection": GROUPS[name][1],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-m", "not pipeline and not faults", *_APART],
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


def _run_mutmut(place: Path, *mutants: str) -> dict[str, int | None]:
    """Run the tests on these mutants; the exit code of each that was ever made."""
    require(PROGRAM.is_file(), "mutmut is not installed; run: make mutants")
    command = [str(PROGRAM), "run", "--max-children", "1", *mutants]
    with (place / "said.txt").open("a", encoding="utf-8") as said:
        subprocess.run(command, cwd=place, stdout=said, stderr=said, check=False)  # noqa: S603 - our own
    codes: dict[str, int | None] = {}
    for path in sorted((place / "mutants").rglob("*.py.meta")):
        codes |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return codes


def find_wordings(sources: Path) -> set[str]:
    """The mutants that say something else, or nothing, and do the same."""
    found = set()
    for path in sources.rglob("*.py"):
        module = ".".join(path.relative_to(sources).with_suffix("").parts)
        functions = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)]
        done = {function.name: _without_words(function) for function in functions if "__mutmut_" in function.name}
        for name, code in done.items():
            if code == done[re.sub(r"\d+$", "orig", name)] and not name.endswith("orig"):
                found.add(f"{module}.{name}")
    return found


def _without_words(function: ast.FunctionDef) -> str:
    """What a function does, whatever it says: a text of several words is as good as none."""
    return "\n".join(ast.dump(_Speechless().visit(statement)) for statement in function.body)


class _Speechless(ast.NodeTransformer):
    """Puts one name in place of every text of several words, and of None, by which mutmut replaces an argument."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        worded = node.value is None or (isinstance(node.value, str) and " " in node.value)
        return ast.Name("words") if worded else node


def _show_diff(place: Path, mutant: str) -> str:
    """The lines that a mutant takes out and puts in."""
    command = [str(PROGRAM), "show", mutant]
    said = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own
    return "\n".join(line for line in said.splitlines() if re.match(r"[-+](?![-+])", line))


def page(found: dict[str, Any], reasons: dict[str, str]) -> str:
    """The table of all groups, and every mutant that lives with the reason why."""
    groups = {name: found[name] for name in GROUPS if name in found}
    living = [(mutant, diff) for group in groups.values() for mutant, diff in group["living"].items()]
    explained = [sum(diff in reasons for diff in group["living"].values()) for group in groups.values()]
    table = pd.DataFrame(groups.values(), index=[*groups])[["mutants", "planted", "living"]]
    table = table.assign(living=table["living"].map(len), explained=explained)
    table.loc["**all**"] = table.sum()
    table.insert(2, "found", table["planted"] - table["living"])
    table["open"] = table.pop("living") - table["explained"]
    table = table.rename_axis("code").reset_index()
    score = 1 - table["open"].iloc[-1] / max(table["planted"].iloc[-1], 1)
    templates = load_templates()
    templates.filters["place"] = _place
    said = {"table": markdown_table(table), "score": score, "living": living, "reasons": reasons}
    return templates.get_template("mutation.md").render(said)


def _place(mutant: str) -> str:
    """The function that a mutant is one of."""
    return re.sub(r"__mutmut_\d+$", "", mutant).replace("xǁ", "").replace("ǁ", ".").replace(".x_", ".")


def read_reasons() -> dict[str, str]:
    """Why mutants that live are no mistakes, by their diffs."""
    entries = yaml.safe_load(REASONS.read_text(encoding="utf-8")) or []
    return {entry["diff"].strip("\n"): entry["why"] for entry in entries}


def main(arguments: Sequence[str]) -> None:
    """Plant, remember what was found, write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--each", type=int, default=1_000_000, help="so many of a group's mutants, at random")
    parser.add_argument("--again", action="store_true", help="only those that lived when last planted")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    options = parser.parse_args(arguments)
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    for name in () if options.page else options.groups or GROUPS:
        found[name] = plant(name, options.each, found[name] if options.again else None)
        FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(found, read_reasons()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
