"""Draw table 1: each loss with its constant, its two terms, and whether theorem 3 covers it."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style

FORMULAS = {
    "absolute": ("ρ|x| − ρx + 1", "ρ|x| + 1"),
    "linear": ("−x", "0"),
    "logistic": ("log(1 + e⁻ˣ)", "½ log(2 + eˣ + e⁻ˣ)"),
    "square": ("(1 − x)²", "1 + x²"),
    "matsushita": ("√(1 + x²) − x", "√(1 + x²)"),
    "modified_huber": ("max(0, 1 − x)²; −4x if x < −1", "1 + x²; 2|x| if |x| > 1"),
    "cauchy": ("log(1 + x²) − x", "log(1 + x²)"),
    "proper_mixture": ("φ*(−x)/b, φ a mixture", "(φ*(x) + φ*(−x))/2b"),
    "hinge": ("max(0, 1 − x)", ""),
    "squared_hinge": ("max(0, 1 − x)²", ""),
    "exponential": ("e⁻ˣ", ""),
}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of the paper's table, then others; the residuals stand for the proof."""
    formulas = scores["loss"].map(FORMULAS)
    constants = scores["a"].where(scores["holds"])
    return pd.DataFrame(
        {
            "loss": scores["loss"].str.replace("_", " "),
            "f(x)": [loss for loss, _ in formulas],
            "even term": [even for _, even in formulas],
            "odd term": ["not linear" if pd.isna(a) else f"−{a / 2:.4g} x" for a in constants],
            "a": constants,
            "residual": [f"{value:.1e}" for value in scores["max_residual"]],
            "even off by": ["" if pd.isna(v) else f"{v:.1e}" for v in scores["even_residual"]],
        }
    )


def draw(scores: pd.DataFrame) -> Figure:
    """The table as a picture."""
    return style.draw_table(table(scores))
