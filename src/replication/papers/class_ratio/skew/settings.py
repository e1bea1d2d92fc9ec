"""What the study can be asked for: as figure 3, of whose learners it has one."""

from __future__ import annotations

from typing import Literal

from replication.papers.class_ratio.fig3.settings import Designed, Learn, Release
from replication.settings import settings


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["mmd"], Learn]
    score: Designed
