"""The map of winners, the learner: tuned classifiers on the same flipped labels."""

from replication.papers.crossover.fitting import learn as learn
