"""Figure 3: error of the estimates under privacy, over the mixture of the test set."""

from functools import partial

from replication.papers.class_ratio.panels import error_panels

draw = partial(error_panels, by="mechanism", x="x", label="share x in the test set")
