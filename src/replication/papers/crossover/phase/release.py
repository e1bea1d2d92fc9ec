"""The map of winners, the owner: labels flipped once for all estimators."""

from replication.papers.crossover.veiling import release as release
