"""
Class ratios from sets
======================

A few large groups are published with noisy class counts and no labels. From them the class ratio of any new group can
be estimated, though not one record was ever labelled.
"""

# %%
# The groups
# ----------
# The table has two symptoms of visitors at three clinics, and who had the flu.

import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(11)
folder = Path(tempfile.mkdtemp())


def visitors(n, share):
    """Two symptoms of n people, a share of whom are ill."""
    ill = rng.random(n) < share
    return rng.normal(np.where(ill[:, None], [1.0, 0.6], [-0.4, -0.2]), 0.8), ill


with (folder / "clinics.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["clinic", "temperature", "cough", "flu"])
    for clinic, share in (("north", 0.1), ("centre", 0.45), ("south", 0.8)):
        symptoms, ill = visitors(250, share)
        writer.writerows([clinic, *row.round(3), int(one)] for row, one in zip(symptoms, ill, strict=True))

# %%
# The owner
# ---------
# The symptoms of each group are public; of the diagnoses only the counts leave, with whole-number noise from the
# operating system.

from unveil import GeometricCounts

rows = list(csv.DictReader((folder / "clinics.csv").open()))
names = list(dict.fromkeys(row["clinic"] for row in rows))
counts = [[sum(row["clinic"] == name and row["flu"] == flu for row in rows) for flu in "01"] for name in names]
release = GeometricCounts(epsilon=0.5).publish(counts, classes=["healthy", "flu"])
release.save(folder / "clinics.unveil")
print("private counts:", counts)
print("released shares:", release.arrays["proportions"].round(3).tolist(), "exact ε:", round(release.exact_epsilon, 3))

# %%
# The learner
# -----------
# It matches the mean of a new group, under a kernel, by a mixture of the known groups. The release says how large its
# noise is, so that intervals allow for it.

from unveil import MMDClassRatio, Release

groups = [
    np.array([[float(row["temperature"]), float(row["cough"])] for row in rows if row["clinic"] == name])
    for name in names
]
model = MMDClassRatio(bandwidths=[0.5, 1.0, 2.0]).fit(Release.load(folder / "clinics.unveil"), groups)
symptoms, ill = visitors(300, 0.3)
print("estimated:", model.predict(symptoms).round(3), "true share of flu:", ill.mean())
low, high = model.interval(symptoms)
print(f"interval of the share of flu: {low[1]:.3f} to {high[1]:.3f}")

# %%
# At every share
# --------------

shares = np.linspace(0, 1, 6)
new = [visitors(300, share) for share in shares]
figure, axis = plt.subplots(figsize=(4.6, 4), layout="constrained")
estimates = np.array([model.predict(symptoms)[1] for symptoms, _ in new])
bounds = np.array([[side[1] for side in model.interval(symptoms)] for symptoms, _ in new])
axis.plot([0, 1], [0, 1], color="grey", linestyle=":")
truth = [ill.mean() for _, ill in new]
axis.vlines(truth, *bounds.T, color="C0", alpha=0.4)
axis.plot(truth, estimates, "o", color="C0")
axis.set(xlabel="true share of flu", ylabel="estimate, with 95 % interval", aspect="equal")
