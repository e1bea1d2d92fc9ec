"""The crossover against ε, the learner: five estimators on the same flipped labels."""

from replication.papers.crossover.fitting import learn as learn
