"""How every estimator looks in the crossover figures."""

from collections.abc import Mapping

from replication import style
from replication.style import Method

METHODS: Mapping[str, Method] = {
    "marginal": Method("marginal likelihood", style.COLOURS[0], "o"),
    "moment": Method("moments (squares)", style.COLOURS[1], "s", "--"),
    "mean_operator": Method("mean operator (logistic)", style.COLOURS[2], "^", "-."),
    "spread": Method("spread likelihood", style.COLOURS[3], "D", ":"),
    "naive": Method("naive: reports as truth", style.COLOURS[5], "P", (0, (3, 1, 1, 1))),
    "mmd": Method("MMD", style.COLOURS[4], "v", (0, (5, 1))),
    "set_id_logistic": Method("set-id logistic", style.COLOURS[6], "X", (0, (8, 2))),
    "clean": Method("labels without flips", style.INK, ""),
    "information": Method("information behind the flips", style.INK, ".", (0, (1, 3))),
    "chance": Method("guessing", style.MUTED, "", ":"),
}
