"""Draw the errors of all estimators against the number of records."""

from functools import partial

from replication.papers.crossover.panels import draw_errors

draw = partial(draw_errors, column="n", label="records")
