"""MNIST: 60000 + 10000 handwritten digits of 28 x 28 pixels, which are left as they are.

The task of telling sevens from nines has fields of its own: which images show one of the two is public,
and so are their features; which of the two is private.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator
from scipy.ndimage import gaussian_filter

from replication.data.compressed import read_bounded
from replication.data.reading import explain, require_rows, split_in_order
from replication.data.scaling import unit_rows
from replication.data.standins import draw_labels
from unveil.types import Array

SIDE = 28
#: Principal components of the sevens and nines.
COMPONENTS = 50
_LIMIT = 64_000_000
_TRAIN, _TEST = 60_000, 10_000


def prepare(raw: Path) -> dict[str, Array]:
    """Training images first, then test images."""
    images, labels = zip(*(_part(raw, part) for part in ("train", "t10k")), strict=True)
    split = split_in_order(*map(len, labels))
    return _fields(np.concatenate(images), np.concatenate(labels), split, raw / "train-images-idx3-ubyte")


def _fields(images: Array, labels: Array, split: Array, path: Path) -> dict[str, Array]:
    """All images, and the sevens and nines among them (labels −1 and 1) by their public features."""
    rows = np.flatnonzero((labels == 7) | (labels == 9))
    chosen = images[rows]
    require_rows(path, len(rows) and (chosen != chosen[0]).any(), "shows no two different sevens or nines")
    return {
        "images": images,
        "labels": labels,
        "split": split,
        "sevens_nines_features": unit_rows(_principal_components(chosen)),
        "sevens_nines_labels": np.where(labels[rows] == 9, 1, -1).astype(np.int8),
        "sevens_nines_split": split[rows],
    }


def _principal_components(images: Array) -> Array:
    """Coordinates along the principal directions of the pixels, in units of the first one's standard deviation."""
    pixels = images.astype(np.float32) / 255
    pixels -= pixels.mean(axis=0)
    values, vectors = np.linalg.eigh((pixels.T @ pixels).astype(float) / len(pixels))
    directions = vectors[:, ::-1][:, :COMPONENTS]
    # An eigenvector's sign is arbitrary: its largest entry is made positive.
    largest = np.argmax(np.abs(directions), axis=0)
    directions = directions * np.sign(directions[largest, np.arange(directions.shape[1])])
    coordinates: Array = pixels.astype(float) @ directions / np.sqrt(values[-1])
    return coordinates


def _part(raw: Path, part: str) -> tuple[Array, Array]:
    image_file, label_file = raw / f"{part}-images-idx3-ubyte", raw / f"{part}-labels-idx1-ubyte"
    images, labels = read_idx(image_file), read_idx(label_file)
    require_rows(
        image_file,
        images.ndim == 3 and images.shape[1:] == (SIDE, SIDE),
        f"holds {images.shape} instead of images of 28 x 28",
    )
    require_rows(label_file, labels.shape == images.shape[:1], f"holds {labels.shape} labels for {len(images)} images")
    require_rows(label_file, labels.max() <= 9, "holds labels above 9")
    return images.reshape(len(images), SIDE * SIDE), labels


def read_idx(path: Path) -> Array:
    """A file in the idx format with unsigned bytes; its header is believed only if the file has just that size."""
    with explain(path):
        content = read_bounded(path, _LIMIT)
    require_rows(path, content[:3] == b"\0\0\x08" and len(content) >= 4, "is not in the idx format with bytes")
    dimensions = content[3]
    start = 4 + 4 * dimensions
    require_rows(path, 1 <= dimensions <= 4 and len(content) >= start, "has a damaged header")
    shape = tuple(int.from_bytes(content[at : at + 4], "big") for at in range(4, start, 4))
    size = int(np.prod([int(n) for n in shape], dtype=object))
    require_rows(
        path, size == len(content) - start and size > 0, f"declares {shape} but holds {len(content) - start} bytes"
    )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def stand_in(rng: Generator) -> dict[str, Array]:
    """Ten smooth blots, one a class; each image is its class's blot with smooth and with pixel noise."""
    labels = draw_labels(rng, _TRAIN + _TEST, [1.0] * 10)
    blots = gaussian_filter(rng.standard_normal((10, SIDE, SIDE)), (0, 3, 3))
    blots = (blots / np.abs(blots).max(axis=(1, 2), keepdims=True)).reshape(10, -1).astype(np.float32)
    waves = gaussian_filter(rng.standard_normal((20, SIDE, SIDE)), (0, 2, 2)).reshape(20, -1)
    waves = (waves / waves.std(axis=1, keepdims=True)).astype(np.float32)
    images = np.empty((len(labels), SIDE * SIDE), dtype=np.uint8)
    for start in range(0, len(labels), 10_000):  # in blocks, so that memory stays small
        block = slice(start, start + 10_000)
        smooth = rng.standard_normal((len(labels[block]), 20), dtype=np.float32) @ waves * np.float32(0.08)
        noise = rng.standard_normal((len(labels[block]), SIDE * SIDE), dtype=np.float32) * np.float32(0.1)
        images[block] = np.clip(255 * (blots[labels[block]] + smooth + noise), 0, 255)
    return _fields(images, labels, split_in_order(_TRAIN, _TEST), Path("stand-in"))
