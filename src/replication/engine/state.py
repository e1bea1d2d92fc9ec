"""What Snakemake keeps of earlier runs without a checksum: what a crash left of it unreadable is forgotten.

A record says with what a file was made. Without it the file is taken by its date; a file that was being made is marked
by a record, too, of which it matters only that it is there.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path


def forget_broken_records(folder: Path = Path(".snakemake")) -> None:
    """Delete or empty the records that are no JSON in UTF-8: Snakemake would end with a traceback, or warn of each."""
    for path in (*folder.glob("metadata/**/*"), *folder.glob("incomplete/**/*")):
        # What cannot be read or written is Snakemake's to complain of.
        with suppress(OSError):
            if path.is_file() and not _is_record(path.read_bytes()):
                if path.is_relative_to(folder / "metadata"):
                    path.unlink()
                else:
                    path.write_text("{}", encoding="utf-8")


def _is_record(content: bytes) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False
