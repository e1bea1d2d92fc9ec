"""The crossover against n, the learner: five estimators on the same flipped labels."""

from replication.papers.crossover.fitting import learn as learn
