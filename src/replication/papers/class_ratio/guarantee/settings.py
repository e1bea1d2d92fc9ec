"""What the study of the guarantee can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, require_room
from replication.settings import Count, Grid, Steps, settings
from unveil.errors import require


@settings
class Score(Demand):
    """Sets of `size` labels, in all classes but one of which so many labels are; and a public bound on all counts."""

    classes: Steps = 5
    size: Count = 1000
    smallest: Grid[Count] = (*range(40, 61), 100, 200)
    public_minimum: Count = 40

    def __post_init__(self) -> None:
        """Refuse sets that are too small for their classes, and a bound that their counts do not keep."""
        require_room(self.classes, max(self.smallest) / self.size)
        require(self.public_minimum <= min(self.smallest), "public_minimum is more than the smallest count")
