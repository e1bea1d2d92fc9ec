"""
Tagging from counts
===================

An annotator looks at a window of each sentence and only counts: two nouns, one verb. Nobody ever says which word is
which, and yet a tagger learns.
"""

# %%
# The sentences
# -------------
# They are in a tiny language, and lie in a CSV file with one word per row.

import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(3)
folder = Path(tempfile.mkdtemp())
lexicon = {
    "DET": ["the", "a", "this"],
    "NOUN": ["dog", "cat", "tree", "house", "bird"],
    "VERB": ["sees", "hears", "likes"],
    "ADJ": ["old", "small"],
}
patterns = [["DET", "NOUN", "VERB"], ["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN"], ["NOUN", "VERB", "DET", "NOUN"]]
with (folder / "text.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["sentence", "word", "tag"])
    for sentence in range(600):
        for tag in patterns[rng.integers(len(patterns))]:
            writer.writerow([sentence, rng.choice(lexicon[tag]), tag])

# %%
# The owner
# ---------
# :class:`unveil.RegionCounts` draws a window of each sentence and counts its tags. The counts are exact: this veil
# saves work and promises no privacy.

from unveil import RegionCounts

rows = list(csv.DictReader((folder / "text.csv").open()))
ends = np.flatnonzero(np.diff([int(row["sentence"]) for row in rows], append=-1)) + 1
starts = np.concatenate([[0], ends[:-1]])
words = [[row["word"] for row in rows[a:b]] for a, b in zip(starts, ends, strict=True)]
tags = [[row["tag"] for row in rows[a:b]] for a, b in zip(starts, ends, strict=True)]

release = RegionCounts(window=3).publish((words, tags), rng)
release.save(folder / "counts.unveil")
print(words[0], dict(zip(release.parameters["tags"], release.arrays["counts"][0].tolist(), strict=True)))

# %%
# The learner
# -----------
# The words are public; the counts come from the file. ``moments`` solves a linear regression for the tags of each word
# first, and fits the model to them; ``marginal`` climbs the likelihood of the counts.

from unveil import CountTagger, Release

counts = Release.load(folder / "counts.unveil")
tagger = CountTagger("moments", passes=10, random_state=0).fit(counts, words)
print(list(zip(words[1], tagger.predict([words[1]])[0].tolist(), strict=True)))
print("share of right tags:", round(tagger.score(words, tags), 3))

# %%
# How large a window?
# -------------------
# Larger windows say less about each word.

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
windows = [1, 2, 3, 4]
for method, mark in (("moments", "o"), ("marginal", "s")):
    shares = []
    for window in windows:
        seen = RegionCounts(window=window).publish((words[:60], tags[:60]), np.random.default_rng(0))
        shares.append(CountTagger(method, passes=3, random_state=0).fit(seen, words[:60]).score(words, tags))
    axis.plot(windows, shares, marker=mark, label=method)
axis.set(xlabel="tokens in a window", ylabel="share of right tags", xticks=windows, ylim=(0.4, 1.02))
axis.legend()
