"""
Regression from products
========================

Every record gives away a few noisy bits about products of its values, and no value itself. From enough of them a
linear regression can be learned.
"""

# %%
# The table
# ---------
# The table has three measurements of patients, and the dose they need. It lies in a CSV file, as yours does.

import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(7)
folder = Path(tempfile.mkdtemp())
values = rng.beta(0.5, 0.5, size=(100_000, 3))
dose = np.clip(values @ [0.5, 0.1, 0.2] + 0.1 + 0.05 * rng.standard_normal(len(values)), 0, 1)
with (folder / "patients.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["age", "weight", "creatinine", "dose"])
    writer.writerows(np.column_stack([values, dose]).round(4).tolist())

# %%
# The owner
# ---------
# All columns must lie between 0 and an upper bound that is public. :class:`unveil.CoordinateRelease` draws one product
# per record, and flips its bits with a probability that makes the record's level ε. It follows the paper, with a seed
# and floating point. For data of real people take :class:`unveil.ExactProducts`; :doc:`/safe_noise` says why.

from unveil import CoordinateRelease

table = np.loadtxt(folder / "patients.csv", delimiter=",", skiprows=1)
X, y = table[:, :3], table[:, 3]
veil = CoordinateRelease(alpha=16.0)
release = veil.publish((X, y), rng, intercept=True)
release.save(folder / "patients.unveil")
print(f"{release.records} records, promised ε = {release.claimed_epsilon}, exact ε = {release.exact_epsilon}")

# %%
# The file starts with a header that a person can read. Only sums leave the owner, not one record:

print({name: array.shape for name, array in release.arrays.items()})
print((folder / "patients.unveil").read_bytes().partition(b"\n}\n")[0].decode()[:600])

# %%
# The learner
# -----------
# The learner has that file and nothing else. The noise's scale is in it, so that nothing can be silently wrong.
# Directions of the features that noise alone could have made are dropped: ``rank_`` of four are left, the constant's
# among them. The intervals are about the noise, not about what was dropped.

from unveil import MomentRegression, Release

model = MomentRegression().fit(Release.load(folder / "patients.unveil"))
print("weights:", model.coef_.round(2), "constant:", round(model.intercept_, 2))
print("directions left:", model.rank_)
print(model.intervals(level=0.95).round(2))

# %%
# What the veil costs
# -------------------
# The same table is released at several levels. The picture has the weights with their intervals; least squares on the
# table itself is dotted.

levels = [2.0, 4.0, 8.0, 16.0, 32.0]
models = [MomentRegression().fit(CoordinateRelease(a).publish((X, y), rng, intercept=True)) for a in levels]
clear = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]
figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
for j, axis in enumerate(axes):
    low, high = np.array([m.intervals()[j] for m in models]).T
    axis.fill_between(levels, low, high, alpha=0.25)
    axis.plot(levels, [m.coef_[j] for m in models], marker="o")
    axis.axhline(clear[j], color="black", linestyle=":")
    axis.set(xscale="log", xlabel="α", title=["age", "weight", "creatinine"][j], ylim=(-0.5, 1.0))
    axis.set_xticks(levels, [f"{level:g}" for level in levels], minor=False)
    axis.minorticks_off()
axes[0].set_ylabel("weight")
