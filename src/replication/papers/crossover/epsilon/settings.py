"""What the crossover against ε can be asked for."""

from replication.papers.crossover.settings import Figure as Figure
