"""A small copy of the whole project, with one toy figure, in which tests may run, edit and break things."""

from __future__ import annotations

import copy
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.configuration import shipped

ROOT = Path(__file__).resolve().parents[2]
SNAKEMAKE = (sys.executable, "-m", "snakemake")

_STAGES = {
    "settings": '''
        """What the toy can be asked for."""

        from __future__ import annotations

        from typing import Literal

        from replication.settings import Count, Nothing, Probability, settings


        @settings
        class Release:
            flip: Probability


        @settings
        class Learn:
            flip: Probability
            rounds: Count


        @settings
        class Figure:
            release: dict[Literal["flips"], Release]
            learn: dict[Literal["shares"], Learn]
            score: Nothing
        ''',
    "release": '''
        """The owner of the toy: flip labels."""

        from __future__ import annotations

        from replication.arrays import Fields, Named
        from replication.papers.toy.FIGURE.settings import Release
        from replication.randomness import Trial


        def release(fields: Fields, trial: Trial, settings: Release) -> Named:
            labels = fields["breast_cancer"]["labels"]
            return {"labels": labels ^ (trial.rng.random(len(labels)) < settings.flip)}
        ''',
    "learn": '''
        """The learner of the toy: a debiased share, and a share that leans on one public field."""

        from __future__ import annotations

        from collections.abc import Mapping

        import numpy as np

        from replication.arrays import Fields, Named
        from replication.papers.toy.FIGURE.settings import Learn
        from replication.randomness import Trial
        from unveil.estimators.toy import debiased


        def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
            labels = released["flips"]["labels"]
            for _ in range(settings.rounds):
                trial.rng.random(100_000)
            weight = public["breast_cancer"]["features"][:, 0]
            share = np.array(debiased(labels, settings.flip))
            return {"share": share, "jitter": trial.rng.random(), "weight": weight.mean()}
        ''',
    "score": '''
        """The referee of the toy."""

        from __future__ import annotations

        from collections.abc import Mapping, Sequence

        import pandas as pd

        from replication.arrays import Fields, Named
        from replication.randomness import Trial
        from replication.settings import Nothing


        def score(
            learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Nothing
        ) -> pd.DataFrame:
            truth = fields["breast_cancer"]["labels"].mean()
            rows = [
                {"trial": t, "error": float(arrays["share"] - truth), "jitter": float(arrays["jitter"])}
                for t, arrays in enumerate(learned["shares"])
            ]
            return pd.DataFrame(rows)
        ''',
    "draw": '''
        """Draw the toy."""

        from __future__ import annotations

        import pandas as pd
        from matplotlib.figure import Figure

        from replication import style


        def draw(scores: pd.DataFrame) -> Figure:
            figure, axes = style.panels()
            axes[0, 0].plot(scores["trial"], scores["error"], "o")
            return figure


        def table(scores: pd.DataFrame) -> pd.DataFrame:
            return scores.describe().reset_index()
        ''',
}

_ESTIMATOR = '''
"""A toy estimator."""

from __future__ import annotations

from unveil.types import Array


def debiased(labels: Array, flip: float) -> float:
    return float((labels.mean() - flip) / (1 - 2 * flip))
'''

#: The learners of all figures that are one job: what each writes, and what it is given.
_LEARNERS = """
import json
from pathlib import Path
from tools.configuration import shipped
from workflow.scripts.figure import learn, steps
from replication.data.fetching.sources import load
from replication.engine.layout import Files
from replication.engine.plan import plan

config = shipped(Path())
known = {name: list(entry.fields) for name, entry in load(Path("data/sources.yaml")).items()}
whole = [figure for figure in plan(config, known).values() if figure.is_whole]
found = [given for figure in whole for stage, given in steps(Files(figure, "results"), 1) if stage is learn]
print(json.dumps({output: [*released, *public] for _, released, public, output in found}))
"""

TOY: Mapping[str, Any] = {
    "seed": 7,
    "mirror": None,
    "wsj": None,
    "folders": {"results": "results", "figures": "figures", "logs": "logs"},
    "include": [],
    "papers": {
        "toy": {
            "public": {"breast_cancer": ["features"]},
            "figures": {
                name: {
                    "trials": 6,
                    "chunk": chunk,
                    "settings": {"flip": 0.2, "rounds": 1},
                    "release": {"flips": {"reads": {"breast_cancer": ["labels"]}}},
                    "learn": {"shares": {"from": ["flips"], "reads": {"breast_cancer": ["features"]}}},
                    "score": {"reads": {"breast_cancer": ["labels"]}},
                }
                # The first goes job by job, the second is one job.
                for name, chunk in (("one", 2), ("two", None))
            },
        }
    },
}


def toy(one: dict[str, Any] | None = None, both: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    """The toy's configuration with other top-level keys, and more in the block of its first figure or of both."""
    config: dict[str, Any] = copy.deepcopy({**TOY, **top})
    figures = config["papers"]["toy"]["figures"]
    for name in figures:
        figures[name] = merged(figures[name], {**(both or {}), **((one or {}) if name == "one" else {})})
    return config


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Lay `over` over `base` as Snakemake does: mappings key by key, everything else whole."""
    both = {key: merged(base[key], over[key]) for key in base.keys() & over.keys() if isinstance(over[key], dict)}
    return {**base, **over, **both}


def sample() -> dict[str, Any]:
    """The configuration of the sample run."""
    config = shipped(ROOT)
    for name in ["run", *config["include"]]:
        part = ROOT / "profiles" / "sample" / f"{name}.yaml"  # a paper without one is as large in the sample
        config = merged(config, yaml.safe_load(part.read_text(encoding="utf-8")) if part.is_file() else {})
    return config


@dataclass(frozen=True)
class Project:
    """A copy of the project under `root`."""

    root: Path

    @classmethod
    def build(cls, root: Path) -> Project:
        """Copy the code; add the toy paper with its two figures, which are equal but for how their trials are cut."""
        for name in ("src", "tools", "workflow", "profiles", "envs", "data", "requirements"):
            ignore = shutil.ignore_patterns("__pycache__", "raw", "prepared", "*.egg-info")
            shutil.copytree(ROOT / name, root / name, ignore=ignore)
        for name in ("Snakefile", "pyproject.toml"):
            shutil.copy(ROOT / name, root / name)
        project = cls(root)
        package = root / "src"
        (package / "unveil" / "estimators" / "toy.py").write_text(_ESTIMATOR, encoding="utf-8")
        for figure in ("one", "two"):
            folder = package / "replication" / "papers" / "toy" / figure
            folder.mkdir(parents=True)
            (folder / "__init__.py").touch()
            (folder.parent / "__init__.py").touch()
            (folder / "caption.rst").write_text("A toy.\n", encoding="utf-8")
            for stage, code in _STAGES.items():
                (folder / f"{stage}.py").write_text(
                    textwrap.dedent(code).lstrip().replace("FIGURE", figure), encoding="utf-8"
                )
        project.configure(TOY)
        return project

    def configure(self, config: Mapping[str, Any], include: Sequence[str] = ()) -> None:
        """Write config.yaml, with its papers in it."""
        text = yaml.safe_dump({**config, "include": list(include)})
        (self.root / "config.yaml").write_text(text, encoding="utf-8")

    def file(self, name: str) -> Path:
        """A path inside the copy."""
        return self.root / name

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text that must be there."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def start(
        self, *arguments: str, python: str = sys.executable, said: Path | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        """Start Snakemake in a process group of its own; what it says can be read from it, or is appended to a file."""
        with said.open("a", encoding="utf-8") if said else nullcontext(subprocess.PIPE) as output:
            return subprocess.Popen(
                [python, "-m", "snakemake", *arguments],
                cwd=self.root,
                env={**_environment(), **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def run(self, *arguments: str, expect: int = 0, python: str = sys.executable, **environment: str) -> str:
        """Run Snakemake to its end: what it said."""
        process = self.start(*arguments, python=python, said=None, **environment)
        try:
            said, _ = process.communicate(timeout=1500)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert (process.returncode == 0) == (expect == 0), said
        return said

    def planned(self, *arguments: str) -> set[tuple[str, str]]:
        """What a dry run would do: (rule, first output) of every job."""
        return {(job["rule"], job["output"][0]) for job in self.jobs(*arguments) if job["output"]}

    def jobs(self, *arguments: str) -> list[dict[str, Any]]:
        """Every job of a dry run: rule, inputs and outputs."""
        jobs: list[dict[str, Any]] = []
        for line in self.run("-n", "--cores", "1", *arguments).splitlines():
            stripped = line.strip()
            if line.startswith(("rule ", "localrule ")):
                jobs.append({"rule": stripped.removesuffix(":").split()[1], "input": [], "output": []})
            for key in ("input", "output"):
                if jobs and stripped.startswith(f"{key}: "):
                    jobs[-1][key] = stripped.removeprefix(f"{key}: ").replace(" (update)", "").split(", ")
        return jobs

    def learners(self, *arguments: str) -> dict[str, list[str]]:
        """What every learner is given, by what it writes: those that are jobs, and those of one-job figures."""
        apart = {job["output"][0]: job["input"] for job in self.jobs(*arguments) if job["rule"] == "learn"}
        environment = {**_environment(), "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(self.root)])}
        command = [sys.executable, "-c", _LEARNERS, str(ROOT)]
        said = subprocess.run(command, cwd=self.root, env=environment, check=True, capture_output=True).stdout
        whole: dict[str, list[str]] = json.loads(said)
        assert not whole.keys() & apart.keys()
        return apart | whole

    def bytes_of(self, *patterns: str) -> dict[str, bytes]:
        """The content of all files that match."""
        files = [path for pattern in patterns for path in sorted(self.root.glob(pattern))]
        assert files, f"nothing matches {patterns}"
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}

    def results(self) -> dict[str, bytes]:
        """Scores and pictures: what must be the same bytes however they were made."""
        return self.bytes_of("results/**/scores.csv", "results/**/scores.meta.json", "figures/**/*.*")

    def rows(self, name: str) -> list[dict[str, str]]:
        """A CSV file as rows."""
        with (self.root / name).open(encoding="utf-8") as file:
            return list(csv.DictReader(file))


def skip_offline(installed: subprocess.CompletedProcess[str]) -> None:
    """Skip a test where what could not be installed is what no registry could be asked for."""
    if installed.returncode:
        said = installed.stderr.lower()
        assert any(word in said for word in ("connection", "resolve", "dns", "network", "timed out", "offline")), said
        pytest.skip("no package registry can be reached")


def _environment() -> dict[str, str]:
    inherited = ("PYTHONPATH", "UNVEIL_RUN", "SNAKEMAKE_PROFILE")
    return {name: value for name, value in os.environ.items() if name not in inherited}
