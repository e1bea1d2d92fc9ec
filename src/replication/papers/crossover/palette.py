"""How every estimator looks in the crossover figures."""

from collections.abc import Mapping

from replication import style
from replication.style import Method

METHODS: Mapping[str, Method] = {
    "marginal": Method("marginal likelihood", style.COLOURS[0], "o"),
    "moment": Method("moments (squares)", style.COLOURS[1], "s", "--"),
    "mean_operator": Method("mean operator (logistic)", style.COLOURS[2], "^", "-."),
    "spread": Method("spread likelihood", style.COLOURS[3], "D", ":"),
    "mmd": Method("MMD", style.COLOURS[4], "v", (0, (5, 1))),
    "chance": Method("guessing", style.MUTED, "", ":"),
}
