"""The protocol "products": bits of the products of features, and of features and target."""

from __future__ import annotations

from unveil.protocols.base import SUM
from unveil.protocols.protocol import Protocol


class ProductsProtocol(Protocol):
    """Private numbers, features and target; the learner has nothing else."""

    name = "products"
    kinds = ({"targets": SUM, "pairs": SUM}, {"ones": SUM, "both": SUM})
    needs = frozenset({"dimension", "intercept", "upper", "noise_of_one"})


PROTOCOL = ProductsProtocol()
