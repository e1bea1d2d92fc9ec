"""What the crossover against n can be asked for."""

from replication.papers.crossover.settings import Figure as Figure
