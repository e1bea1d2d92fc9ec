"""TF-IDF features with a vocabulary that does not depend on how ties are sorted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from unveil.types import Array

#: Words, or runs of marks: smileys and exclamations carry sentiment.
WORDS_AND_MARKS = r"\w+|[^\w\s]+"


def weigh_texts(texts: Sequence[str], fitted: Array, size: int, ngrams: tuple[int, int], token: str) -> Array:
    """Dense float32 TF-IDF of `texts`, rows of unit length; vocabulary and weights come from the `fitted` ones."""
    vocabulary = find_frequent_terms(list(compress(texts, fitted)), size, ngrams, token)
    counter = CountVectorizer(vocabulary=vocabulary, ngram_range=ngrams, token_pattern=token)
    return weigh_terms(counter.transform(texts), fitted)


def weigh_terms(counts: sparse.csr_matrix, fitted: Array) -> Array:
    """Term counts turned into TF-IDF, with the document frequencies of the `fitted` rows."""
    weigher = TfidfTransformer().fit(counts[np.flatnonzero(fitted)])
    return np.asarray(weigher.transform(counts).toarray(), dtype=np.float32)


def find_frequent_terms(texts: Sequence[str], size: int, ngrams: tuple[int, int], token: str) -> list[str]:
    """The terms that occur in most texts, alphabetical among equals and in the end."""
    counter = CountVectorizer(ngram_range=ngrams, token_pattern=token, binary=True)
    documents = np.asarray(counter.fit_transform(texts).sum(axis=0)).ravel()
    terms = counter.get_feature_names_out()
    return sorted(terms[np.lexsort((terms, -documents))[:size]].tolist())
