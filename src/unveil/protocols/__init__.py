"""The ways from an owner to a learner."""

#: Every protocol, and what is private in it; what is known of one is the `PROTOCOL` of its module, `<name>_protocol`.
PROTOCOLS = {
    "mean-operator": "private labels of two classes",
    "products": "private numbers, for regression, each record noised before anyone sees it",
    "moments": "private features and a number or two classes, noised by whoever holds the table",
    "ratios": "private classes of sets",
    "tags": "counts of the tags of words",
    "records": "whole records, each noised before anyone sees it",
}
