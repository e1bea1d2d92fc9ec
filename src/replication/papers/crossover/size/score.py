"""The crossover against n, the referee."""

from replication.papers.crossover.judging import score as score
