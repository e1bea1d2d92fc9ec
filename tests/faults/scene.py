"""Where runs are broken on purpose: a small project with every kind of rule, and a server for its data."""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tools.configuration import shipped

from local_server import Handler, Server, sha
from project import ROOT, TOY, Project
from replication.engine.seal import SUFFIX

#: 4,000 coins: a weight that everybody may know, and a side.
PENNIES = b"".join(b"%d.%d,%d\n" % (row % 7, row % 10, row * row % 5 > 1) for row in range(4000))

_PREPARE = '''
"""Pennies: their weights and sides."""

from __future__ import annotations

from pathlib import Path

from replication.data.reading import number_classes, read_table
from unveil.types import Array


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the file as it came."""
    path = raw / "pennies.csv"
    values = read_table(path, columns=2)
    return {"features": values[:, :1], "labels": number_classes(path, values[:, 1], [0, 1])}
'''

_DRAFT = re.compile(r"^\..*\.tmp(\..*)?$")
_STEPS = re.compile(r"^\s+(\d+) of (\d+) steps done")


class FlakyHandler(Handler):
    """Hangs up in the middle of a file while its server is told to."""

    def answer_good(self) -> None:
        if getattr(self.server, "broken", False):
            self.send(PENNIES[:1234], declared=len(PENNIES))
        else:
            super().answer_good()


class PennyServer(Server):
    """Serves the pennies, or half of them."""

    def __init__(self) -> None:
        super().__init__()
        self.RequestHandlerClass = FlakyHandler
        self.pages = {"/good/pennies.csv": PENNIES}
        self.broken = False


def build(root: Path, server: PennyServer) -> Project:
    """The toy's first figure on downloaded data, a real figure, and the claims about it."""
    project = Project.build(root)
    shutil.rmtree(project.file("src/replication/papers/toy/two"))
    for stage in ("release", "learn", "score"):
        project.edit(f"src/replication/papers/toy/one/{stage}.py", "breast_cancer", "pennies")
    project.file("src/replication/data/sets/pennies.py").write_text(_PREPARE, encoding="utf-8")
    with project.file("data/sources.yaml").open("a", encoding="utf-8") as file:
        source = {"grade": "full", "from": f"{server.url}/good", "files": FILES}
        yaml.safe_dump({"pennies": {**SOURCE, "sources": [source]}}, file)
    project.configure(_configuration())
    return project


FILES = {"pennies.csv": {"sha256": sha(PENNIES)}}
SOURCE: dict[str, Any] = {
    "title": "Pennies",
    "licence": "none",
    "fields": {"features": "4000 x 1 float64: weight", "labels": "4000 uint8: side"},
}
#: The block of the toy's first figure.
TOY_ONE: dict[str, Any] = {
    "trials": 4,
    "chunk": 2,
    "settings": {"flip": 0.2, "rounds": 150},
    "release": {"flips": {"reads": {"pennies": ["labels"]}}},
    "learn": {"shares": {"from": ["flips"], "reads": {"pennies": ["features"]}}},
    "score": {"reads": {"pennies": ["labels"]}},
}


def _configuration() -> dict[str, Any]:
    real = shipped(ROOT)["papers"]["linear_moments"]
    papers = {
        "toy": {"public": {"pennies": ["features"]}, "figures": {"one": TOY_ONE}},
        "linear_moments": {"public": {}, "figures": {"fig5": real["figures"]["fig5"]}},
    }
    return {**TOY, "papers": papers}


@dataclass
class Run:
    """A run of everything that is watched while it works."""

    project: Project
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start it, and a thread that listens."""
        self.process = self.project.start("--cores", "2", "all")
        self._steps: queue.Queue[float] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.said.append(line)
                if match := _STEPS.match(line):
                    self._steps.put(int(match[1]) / int(match[2]))
        self._steps.put(2.0)

    def reach(self, share: float, then: float = 0.0) -> None:
        """Wait until that share of the steps is done, and then some seconds more, or until the end."""
        while self._steps.get(timeout=120) < share:
            pass
        time.sleep(then)

    def kill(self) -> None:
        """SIGKILL to everything that belongs to the run."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.end()

    def end(self) -> str:
        """Wait for it: what it said."""
        self.process.wait(timeout=300)
        self._listener.join(timeout=60)
        return "".join(self.said)


def products(project: Project) -> dict[str, bytes]:
    """What must be the same bytes, whatever happened: prepared data, scores, verdicts, pictures and tables."""
    everything = project.results() | project.bytes_of("data/prepared/**/*.*", "results/claims.csv")
    return {name: content for name, content in everything.items() if not _DRAFT.match(Path(name).name)}


def drafts(project: Project) -> list[str]:
    """Half-written files that nobody will ever finish."""
    places = ("data", "results", "figures")
    found = [path for place in places for path in project.file(place).rglob(".*") if path.is_file()]
    staged = [path for path in project.file("data/raw/.staging").glob("*") if path.is_dir()]
    known = {path.name for path in found if path.suffix == SUFFIX and not _DRAFT.match(path.name)}
    return [str(path) for path in [*found, *staged] if path.name not in known]


def mount(folder: Path, size: str) -> bool:
    """A small file system on `folder`; False where this user may not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def unmount(folder: Path) -> None:
    subprocess.run(["umount", "-l", str(folder)], check=True)
