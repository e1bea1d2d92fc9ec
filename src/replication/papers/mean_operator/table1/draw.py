"""Table 1: each loss with its constant, its two terms, and whether theorem 3 covers it."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from replication import style

#: Each loss's f(x) and even term; those of the paper's table with the odd term that it prints.
FORMULAS = {
    "absolute": ("ρ|x| − ρx + 1", "ρ|x| + 1", "−ρx"),
    "linear": ("−x", "0", "−x"),
    "proper_mixture": ("a_φ + φ*(−x)/b_φ", "a_φ + (φ*(x) + φ*(−x))/2b_φ", "−x/(2b_φ)"),
    "logistic": ("log(1 + e⁻ˣ)", "½ log(2 + eˣ + e⁻ˣ)", "−x/2"),
    "square": ("(1 − x)²", "1 + x²", "−2x"),
    "matsushita": ("√(1 + x²) − x", "√(1 + x²)", "−x"),
    "modified_huber": ("(1 − x)₊²; −4x, x < −1", "1 + x²; 2|x|, |x| > 1", ""),
    "cauchy": ("log(1 + x²) − x", "log(1 + x²)", ""),
    "hinge": ("max(0, 1 − x)", "", ""),
    "squared_hinge": ("max(0, 1 − x)²", "", ""),
    "exponential": ("e⁻ˣ", "", ""),
}
NAMES = {"proper_mixture": "SPL (a mixture)"}
#: The first row of the paper's table, which is theorem 3 itself.
GENERIC = {"loss": "generic (linear-odd)", "f(x)": "f(x)", "even term": "(f(x) + f(−x))/2", "odd, printed": "−(a/2) x"}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of the paper's table in its order, then others; what is printed beside what is computed."""
    known = scores.set_index("loss")
    rows: list[dict[str, Any]] = [dict(GENERIC)]
    for loss, (formula, even, odd) in FORMULAS.items():
        row = known.loc[loss]
        rows.append(
            {
                "loss": NAMES.get(loss, loss.replace("_", " ")),
                "f(x)": formula,
                "even term": even,
                "odd, printed": odd,
                "as a number": f"{-row['printed_a'] / 2:.4g} x" if odd else "",
                "odd, computed": f"{-row['a'] / 2:.4g} x" if row["holds"] else "not linear",
                "a": row["a"] if row["holds"] else None,
                "residual": f"{row['max_residual']:.1e}",
                "even off": "" if pd.isna(row["even_residual"]) else f"{row['even_residual']:.1e}",
            }
        )
    return pd.DataFrame(rows).fillna({"as a number": "", "odd, computed": "", "residual": "", "even off": ""})


def draw(scores: pd.DataFrame) -> Figure:
    """What the paper's table has, and what was computed."""
    return style.draw_table(table(scores)[["loss", "f(x)", "even term", "odd, printed", "odd, computed", "residual"]])
