"""Draw the errors of all estimators against the privacy of a label."""

from functools import partial

from replication.papers.crossover.panels import draw_errors

draw = partial(draw_errors, column="epsilon", label="ε of a label (nats)")
