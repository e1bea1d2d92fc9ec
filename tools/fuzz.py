"""Look for files that break a reader, guided by which lines of our code they reach.

`python -m tools.fuzz [--seconds N] [reader …]` gives each reader of `tests/fuzz/corpora.py` so much time with atheris;
`make fuzz SECONDS=60` calls it. What it learns is kept under `.cache/fuzz`, so that the next time goes on from there.
A file that breaks a reader is written to `tests/fuzz/corpus`, where a test keeps it: commit it with the remedy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The modules whose lines guide the search.
PARSERS = {
    *(
        f"unveil.{name}"
        for name in (
            "containers",
            "protocols",
            "releases",
            "tables",
            "command.states",
            "command.statistic",
            "command.sheets",
            "command.models",
        )
    ),
    "unveil.estimators.moments.product_releases",
    "replication.engine.storage",
    "replication.arrays",
}
LEARNED = ROOT / ".cache" / "fuzz"


def attack(reader: str, seconds: int) -> None:
    """Give one reader so much time; never returns, since atheris ends the process."""
    import atheris

    # All of a package is looked into unless it is left out by name, and compiled kernels cannot be.
    files = [path.relative_to(ROOT / "src").with_suffix("") for path in (ROOT / "src").rglob("*.py")]
    names = {".".join(path.parts).removesuffix(".__init__") for path in files}
    with atheris.instrument_imports(include=["unveil", "replication"], exclude=sorted(names - PARSERS)):
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
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--seconds", type=int, default=60, help="for each reader")
    parser.add_argument("--here", action="store_true", help="attack one reader in this process")
    options = parser.parse_args(arguments)
    if options.here:
        attack(options.readers[0], options.seconds)
    broken = []
    known = [path.name for path in (ROOT / "tests" / "fuzz" / "corpus").iterdir()]
    unknown = set(options.readers) - set(known)
    if unknown:
        parser.error(f"there are readers {', '.join(sorted(known))}, but not {', '.join(unknown)}")
    for reader in options.readers or sorted(known):
        command = [sys.executable, "-m", "tools.fuzz", "--here", "--seconds", str(options.seconds), reader]
        ended = subprocess.run(command, cwd=ROOT, check=False)  # noqa: S603 - ourselves
        broken += [reader] * (ended.returncode != 0)
    sys.stderr.write(f"broken: {', '.join(broken) or 'none'}\n")
    return len(broken)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
