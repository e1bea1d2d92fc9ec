"""What the study of set sizes can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.class_ratio.settings import Designed, Veiled
from replication.settings import Nothing, settings


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Veiled]
    learn: dict[Literal["mmd"], Nothing]
    score: Designed
