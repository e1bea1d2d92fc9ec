"""Who is in which published set, as a mechanism: what it promises of a member's label, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, pure
from replication.judging.guarantees.settings import Membership
from replication.papers.class_ratio.sets import skewed_counts
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats

_case = partial(Case, "class_ratio")
#: Assignments of many records that an audit may draw.
MOST = 20_000


def memberships(settings: Membership) -> list[Case]:
    """Who is in which published set, which nothing hides: by quotas of labels, with those shares alone, and by lot.

    The paper's guarantee is about the proportions of fixed sets, so that nothing is promised here but by the lot.
    """
    classes, rho = settings.classes, settings.rho
    shares = np.full((classes, classes), rho) + (1 - classes * rho) * np.eye(classes)
    by_lot = np.full((classes, classes), 1 / classes)
    shown = {"classes": classes, "rho": rho}
    return [
        _quotas(settings),
        _assigned("set_membership", shares, {"design": "random", **shown}, inf),
        _assigned("set_membership", by_lot, {"design": "label_free", **shown}, 0.0),
    ]


def _assigned(name: str, shares: Floats, parameters: Mapping[str, object], claimed: float) -> Case:
    """Each record goes to set k with the probability shares[k, label]: a response of the label."""

    def release(label: int, n: int, rng: Generator) -> Array:
        return rng.choice(len(shares), size=n, p=shares[:, label])

    return _case(name, parameters, pure(claimed), pure(channel_epsilon(shares)), release, 0, 1)


def _quotas(settings: Membership) -> Case:
    """Set k takes so many records of every label: a set with other labels cannot be, and the loss is infinite."""
    classes, rho, size = settings.classes, settings.rho, settings.size
    quotas = skewed_counts(classes, rho, size)
    here = np.repeat(np.arange(classes), quotas.sum(axis=0) + 1)  # one record of each label is left over
    there = here.copy()
    there[0] = 1

    def release(labels: Array, n: int, rng: Generator) -> Array:
        sets = np.repeat([[*range(classes), classes]], n, axis=0)
        chosen = np.empty((n, len(labels)), dtype=np.int8)
        for label in range(classes):
            mine = np.flatnonzero(labels == label)
            spare = len(mine) - quotas[:, label].sum()
            tokens = np.repeat(sets[0], [*quotas[:, label], spare]).astype(np.int8)
            chosen[:, mine] = rng.permuted(np.tile(tokens, (n, 1)), axis=1)
        return chosen

    def possible(chosen: Array, labels: Array) -> Array:
        """Whether every set has its quotas under these labels."""
        fits = np.ones(len(chosen), dtype=bool)
        for k in range(classes):
            for label in range(classes):
                fits &= np.count_nonzero(chosen[:, labels == label] == k, axis=1) == quotas[k, label]
        return fits

    def log_ratio(chosen: Array) -> Floats:
        result: Floats = possible(chosen, here) * 1.0 - possible(chosen, there)
        return result

    parameters = {"design": "by_label", "classes": classes, "rho": rho}
    return _case("set_membership", parameters, pure(inf), pure(inf), release, here, there, log_ratio, most=MOST)
