"""How verdicts look wherever they are drawn."""

from replication import style

#: From best to worst.
VERDICTS = {
    "reproduced": style.Method("reproduced", style.COLOURS[2], "o"),
    "conditional": style.Method("conditional", style.COLOURS[4], "D", ":"),
    "undecided": style.Method("undecided", style.COLOURS[5], "v", "-."),
    "contradicted": style.Method("contradicted", style.COLOURS[1], "X", "--"),
    "untestable": style.Method("untestable", style.COLOURS[7], "*", ":"),
}
