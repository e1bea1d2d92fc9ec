"""
Labels kept private
===================

Everybody may see the features, nobody the labels. The owner releases a single vector, the sum of label times features,
with exact noise; a classifier learns from that vector and the features.
"""

# %%
# The table
# ---------
# The table says who bought, beside what the shop knows anyway.

import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(5)
folder = Path(tempfile.mkdtemp())
visits, minutes = rng.random(4000), rng.random(4000)
bought = rng.random(4000) < 1 / (1 + np.exp(-8 * (visits + 0.5 * minutes - 0.75)))
with (folder / "shop.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["visits", "minutes", "bought"])
    writer.writerows(
        [f"{v:.4f}", f"{m:.4f}", "yes" if b else "no"] for v, m, b in zip(visits, minutes, bought, strict=True)
    )

rows = list(csv.DictReader((folder / "shop.csv").open()))
X = np.array([[float(row["visits"]) - 0.5, float(row["minutes"]) - 0.5, 0.5] for row in rows])  # public, and a constant
y = np.array([1 if row["bought"] == "yes" else -1 for row in rows])  # private

# %%
# The owner
# ---------
# :class:`unveil.GeometricMeanOperator` draws whole-number noise from the operating system. So it is fit for a real
# release, as :doc:`/safe_noise` says, and this page differs a little whenever it is built.

from unveil import GeometricMeanOperator

release = GeometricMeanOperator(epsilon=1.0).publish((X, y))
release.save(folder / "shop.unveil")
print(f"{release.records} labels, exact ε = {release.exact_epsilon:.4f}, randomness: {release.randomness}")
print({name: array.tolist() for name, array in release.arrays.items()})

# %%
# The learner
# -----------
# The rows must be those that were released, in the same order.

from unveil import MeanOperatorClassifier, Release

model = MeanOperatorClassifier(l2=1e-3).fit(Release.load(folder / "shop.unveil"), X)
print("weights:", model.coef_.round(2))
print("share of right answers:", round(model.score(X, y), 3))

# %%
# What the veil costs
# -------------------
# The picture has ten releases at each level, beside learning from the labels themselves.

clear = MeanOperatorClassifier(l2=1e-3).fit(X, y).score(X, y)
levels = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
for level in levels:
    veil = GeometricMeanOperator(epsilon=level)
    shares = [MeanOperatorClassifier(l2=1e-3).fit(veil.publish((X, y)), X).score(X, y) for _ in range(10)]
    axis.plot([level] * 10, shares, "o", color="C0", alpha=0.4)
axis.axhline(clear, color="black", linestyle=":", label="from the labels")
axis.axhline(max((y == 1).mean(), (y == -1).mean()), color="grey", linestyle="--", label="the commoner answer")
axis.set(xscale="log", xlabel="ε of a label", ylabel="share of right answers")
axis.legend()
