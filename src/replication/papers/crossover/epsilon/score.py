"""The crossover against ε, the referee."""

from replication.papers.crossover.judging import score as score
