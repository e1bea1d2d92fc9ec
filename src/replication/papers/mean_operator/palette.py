"""How everything looks that this paper's figures draw."""

from collections.abc import Mapping

from replication import style
from replication.style import Method

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = style.COLOURS[:6]

METHODS: Mapping[str, Method] = {
    # References, drawn as levels.
    "none": Method("exact mean operator", style.INK, ""),
    "chance": Method("guessing", style.MUTED, "", ":"),
    "limit": Method("most allowed, $\\max(π, e^α/(1 + e^α))$", style.INK, "", "--"),
    "delta": Method("δ", style.INK, "", ":"),
    # Mechanisms.
    "printed": Method("printed scale", BLUE, "o"),
    "laplace": Method("Laplace, right scale", VERMILION, "s", "--"),
    "gamma": Method("radial (gamma) noise", GREEN, "^", "-."),
    "randomized_response": Method("randomised response", PURPLE, "D", ":"),
    "output": Method("output perturbation", ORANGE, "v", (0, (5, 1))),
    "objective": Method("objective perturbation", SKY, "P", (0, (3, 1, 1, 1))),
    # Learning from proportions.
    "mean_map": Method("mean map", GREEN, "*"),
    "soft_labels": Method("bag's share as label", ORANGE, "X"),
    # Bounds, and what they bound.
    "stated": Method("bound as stated", BLUE, "v"),
    "corrected": Method("bound corrected", VERMILION, "^", "--"),
    "corrected_fixed": Method("Chernoff bound, one θ", PURPLE, "<", ":"),
    "measured": Method("measured", GREEN, "o", "-."),
    "measured_uniform": Method("worst θ in the ball", ORANGE, "s", (0, (5, 1))),
    "measured_axis": Method("θ along an axis", SKY, "D", (0, (3, 1, 1, 1))),
    "measured_diagonal": Method("θ along the diagonal", "#000000", "P", (0, (1, 1))),
    # Losses and their parts.
    "logistic": Method("logistic", BLUE, "p"),
    "square": Method("square", ORANGE, "h"),
    "matsushita": Method("Matsushita", GREEN, "d"),
    "value": Method("loss", BLUE, ""),
    "even": Method("even part", VERMILION, "", "--"),
    "odd": Method("odd part", GREEN, "", "-."),
}

#: How λ was chosen: dashes that any loss may have.
RULES: Mapping[str, Method] = {
    "fixed": Method("one λ for all", style.INK, "", ":"),
    "public": Method("public λ", style.INK, "", "--"),
    "released": Method("λ from the release", style.INK, ""),
}

TITLES = {"census": "Census", "mnist": "MNIST 7/9", "breast_cancer": "breast cancer"}
