"""Which pictures are drawn from a figure's scores, by which modules and with which captions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from replication.engine.plan import Figure, stage_file


@dataclass(frozen=True)
class Picture:
    """What is drawn from a figure's scores: the figure, or a neighbour that answers a question of ours."""

    figure: Figure
    question: str = ""

    @property
    def name(self) -> str:
        """The name of its files: `<figure>`, or `<figure>_<question>`."""
        return _asking(self.figure.name, self.question)

    @property
    def module(self) -> str:
        """The module that draws it."""
        return self.figure.module(_asking("draw", self.question))

    @property
    def caption(self) -> Path:
        """The template of the text below it."""
        return stage_file(self.figure.paper, self.figure.folders, f"{_asking('caption', self.question)}.rst")

    @property
    def has_table(self) -> bool:
        """Whether it is a table, too."""
        name = f"{self.module.rpartition('.')[2]}.py"
        return "\ndef table(" in stage_file(self.figure.paper, self.figure.folders, name).read_text(encoding="utf-8")


def pictures_of(figure: Figure) -> list[Picture]:
    """What is drawn from a figure's scores: itself, and a neighbour for every question asked of them."""
    return [Picture(figure, question) for question in ("", *questions_of(figure.paper, figure.name))]


def _asking(name: str, question: str) -> str:
    return f"{name}_{question}" if question else name


def questions_of(paper: str, figure: str) -> list[str]:
    """The questions that a figure's neighbours answer: each has a `draw_<question>.py` in the figure's own folder."""
    folder = stage_file(paper, [figure], "draw.py").parent
    return sorted(path.stem.removeprefix("draw_") for path in folder.glob("draw_*.py"))
