"""
Noisy records
=============

All people add noise to their own records, answers and label alike, and trust nobody. Training on such records as if
they were clean is wrong in general; the spread likelihood allows for the noise.
"""

# %%
# The table
# ---------
# The table has the answers to eight yes-or-no questions, and a label that depends on two of them.

import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(2)
folder = Path(tempfile.mkdtemp())
answers = (rng.random((3000, 8)) < 0.5).astype(int)
label = rng.random(3000) < 1 / (1 + np.exp(-(5 * answers[:, 0] - 4 * answers[:, 1])))
with (folder / "survey.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow([*(f"q{i}" for i in range(8)), "label"])
    writer.writerows(np.column_stack([answers, label]).astype(int).tolist())

# %%
# The owners
# ----------
# Each flips the label with probability 0.2 and every answer with probability 0.1, with odds that are whole numbers.
# Nine noisy bits together still tell much: the exact ε of a record is their sum.

from unveil import NoisyRecords

table = np.loadtxt(folder / "survey.csv", delimiter=",", skiprows=1, dtype=int)
X, y = table[:, :-1], table[:, -1]
release = NoisyRecords(label_flip=0.2, input_noise=0.1).publish((X, y))
release.save(folder / "survey.unveil")
print(f"{release.records} records, exact ε = {release.exact_epsilon:.2f}, randomness: {release.randomness}")
print("answers that were flipped:", round(float((release.arrays["features"] != X).mean()), 3))

# %%
# The learner
# -----------
# The likelihood of the noisy records is summed over all clean answers that they may stand for, without sampling.

from unveil import Release, SpreadLogisticRegression

noisy = Release.load(folder / "survey.unveil")
model = SpreadLogisticRegression().fit(noisy)
print("weights:", model.coef_.round(1))
print("share of right answers on the clean records:", round(model.score(X, y), 3))

# %%
# Beside training that ignores the noise
# --------------------------------------

from sklearn.linear_model import LogisticRegression

naive = LogisticRegression(C=1e6).fit(noisy.arrays["features"], noisy.arrays["labels"])
clean = LogisticRegression(C=1e6).fit(X, y)
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
places = np.arange(8)
for shift, (name, fitted) in zip(
    (-0.25, 0, 0.25), (("clean", clean), ("spread", model), ("naive", naive)), strict=True
):
    axis.bar(places + shift, np.ravel(fitted.coef_)[:8], width=0.25, label=name)
axis.set(xlabel="question", ylabel="weight", xticks=places)
axis.legend()
