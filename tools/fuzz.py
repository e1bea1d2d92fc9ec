"""Look for files that break a reader, guided by which lines of our code they reach.

`python -m tools.fuzz [--seconds N] [reader …]` gives each reader of `tests/fuzz/corpora.py` so much time with atheris,
in a process of its own; `make fuzz SECONDS=60` calls it. What it learns is kept under `.cache/fuzz`, so that the next
time goes on from there. A file that breaks a reader is written to `tests/fuzz/corpus`, where a test keeps it: commit it
with the remedy.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEARNED = ROOT / ".cache" / "fuzz"


def attack(reader: str, seconds: int) -> None:
    """Give one reader so much time; never returns, since atheris ends the process."""
    import atheris

    # Compiled kernels cannot be looked into.
    files = [file for file in (ROOT / "src").rglob("*.py") if "numba" in file.read_text(encoding="utf-8")]
    compiled = [".".join(file.relative_to(ROOT / "src").with_suffix("").parts) for file in files]
    with atheris.instrument_imports(include=["unveil", "replication"], exclude=compiled):
        from tests.fuzz.corpora import FOLDER, READERS, good

        from unveil.errors import UnveilError

    learned, kept = LEARNED / reader, FOLDER / reader
    learned.mkdir(parents=True, exist_ok=True)
    (learned / "good").write_bytes(good(reader))
    path = LEARNED / f"{reader}-hostile{READERS[reader].ending}"

    def once(content: bytes) -> None:
        path.write_bytes(content)
        try:
            READERS[reader].read(path)
        except UnveilError as error:
            if "\n" in str(error) or not str(error).strip():
                raise AssertionError(f"more or less than one line: {error}") from error

    limits = [f"-max_total_time={seconds}", "-max_len=8192", "-rss_limit_mb=2048", "-timeout=20", "-verbosity=0"]
    atheris.Setup(["fuzz", *limits, "-print_final_stats=1", f"-artifact_prefix={kept}/", str(learned), str(kept)], once)
    atheris.Fuzz()


def main(arguments: Sequence[str]) -> int:
    """Attack the readers in turn; how many broke."""
    known = sorted(path.name for path in (ROOT / "tests" / "fuzz" / "corpus").iterdir())
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", choices=[*known, []])
    parser.add_argument("--seconds", type=int, default=60, help="for each reader")
    options = parser.parse_args(arguments)
    broken = []
    for reader in options.readers or known:
        process = multiprocessing.get_context("spawn").Process(target=attack, args=(reader, options.seconds))
        process.start()
        process.join()
        broken += [reader] * (process.exitcode != 0)
    sys.stderr.write(f"broken: {', '.join(broken) or 'none'}\n")
    return len(broken)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
