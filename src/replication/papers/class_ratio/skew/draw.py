"""Error over the skew of the training sets: learning wants skew, privacy wants balance."""

from functools import partial

from replication.papers.class_ratio.panels import error_panels

draw = partial(error_panels, by="mechanism", x="rho", label="ρ: small is skewed")
