"""Figure 2: error over the share of positives in the test set, by method, all panels on one scale."""

from functools import partial

from replication.papers.class_ratio.panels import error_panels

draw = partial(error_panels, by="method", x="positive_fraction", label="positives in the test set", sharey=True)
