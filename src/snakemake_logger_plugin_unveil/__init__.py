"""What a person sees of a run: one line a job, how far it is, why a job failed, and at the end what is where.

Snakemake finds this module by its name; the default profile asks for it with `logger: unveil`.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_LAST_LINES = 30
#: Letters of the bar.
_WIDTH = 30
#: Back to the start of the line, and nothing on it.
_CLEAR = "\r\x1b[K"
#: Snakemake takes all that stands behind this option for files of the configuration.
_CONFIGFILE = (
    "error: a file of the configuration cannot be read; if a target stands behind --configfile, put it before that "
    "option, or write `--` between"
)
#: A record that a crash cut off is as good as none: its file is taken by its date.
_BROKEN_RECORD = "Ignore corrupted"
_NOISE = ("Select jobs to execute", "Group jobs: inactive", "CalledProcessError", "Complete log(s)", _BROKEN_RECORD)


class LogHandler(LogHandlerBase):
    """A terse companion of a long run; a dry run lists each job with its files and the reason why it runs."""

    # Takes the place of Snakemake's own messages, not of its log file; its settings (`--quiet`) go on filtering.
    writes_to_stream, writes_to_file = True, False
    has_filter, has_formatter, needs_rulegraph = False, True, False

    def __post_init__(self) -> None:
        """Choose the formatter, and whether there is a screen for a bar."""
        super().__post_init__()
        settings = self.common_settings
        self._detailed = settings.dryrun or settings.verbose
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._bar = self._stream.isatty() and not self._detailed
        self.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))
        self._read: set[str] = set()
        self._made: list[str] = []
        self._failed: list[str] = []

    def close(self) -> None:
        """Say at the end what failed, or else what was made and what to do next."""
        lines = self._failed or list(conclude(self._made, self._read))
        if lines and not self._detailed:
            print(*lines, sep="\n", file=self._stream, flush=True)
        self._made, self._failed = [], []
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a person wants to read of `record`."""
        if self._detailed and getattr(record, "event", None) == LogEvent.JOB_INFO:
            # Without the rule's message Snakemake's own form lists a job's inputs, outputs and why it runs.
            record.rule_msg = None
        text = self.format(record) if self._detailed else self._terse(record)
        if text and text != "None":
            print(f"{_CLEAR}{text}" if self._bar else text, file=self._stream, flush=True)

    def _terse(self, record: logging.LogRecord) -> str:
        match getattr(record, "event", None):
            case LogEvent.JOB_INFO:
                self._read.update(record.input)  # type: ignore[attr-defined]
                self._made += record.output  # type: ignore[attr-defined]
                return f"[{time.strftime('%H:%M:%S')}] {record.rule_msg or record.rule_name}"  # type: ignore[attr-defined]
            case LogEvent.PROGRESS:
                done, total = record.done, record.total  # type: ignore[attr-defined]
                if self._bar and done < total:
                    filled = _WIDTH * done // total
                    bar = f"{_CLEAR}{'█' * filled}{'░' * (_WIDTH - filled)} {done} of {total} steps"
                    print(bar, end="", file=self._stream, flush=True)
                    return ""
                return f"  {done} of {total} steps done"
            case LogEvent.JOB_ERROR:
                self._failed.append(name_failed(record.__dict__))
                return failure(record.__dict__)
            case LogEvent.JOB_STARTED | LogEvent.JOB_FINISHED | LogEvent.SHELLCMD | LogEvent.RESOURCES_INFO:
                return ""
        # The exception of a failed script says less than its log, which JOB_ERROR shows.
        text = self.format(record)
        return "" if any(words in text for words in _NOISE) else advised(text)


def advised(text: str) -> str:
    """Snakemake's own words on what the system refused it (a folder, a record), and what to do about it.

    Where its words are a traceback, the line on what to do says it all.
    """
    if "load_configfile" in text or "file is not valid JSON or YAML" in text:
        return _CONFIGFILE
    found = re.search(r"\[Errno (\d+)\] [^:\n]*(?:: '([^'\n]*)')?", text)
    if not found:
        return text
    # Imported only now: Snakemake speaks before it reads the Snakefile, which says which copy is the project's own.
    from replication.engine.job import ADVICE

    if not (advice := ADVICE.get(int(found[1]))):
        return text
    line = f"error: {found[2] or 'Snakemake'}: {advice}"
    return line if "Traceback" in text else f"{text}\n{line}"


def conclude(made: Iterable[str], read: Iterable[str]) -> Iterator[str]:
    """Where the pictures and the verdicts are that a run made, which data was not the paper's, and what to do next."""
    # Snakemake says of a file in brackets how the rule makes it, `x.pdf (update)`.
    paths = [re.sub(r" \([a-z ]+\)$", "", path) for path in made]
    pictures, claims = ([path for path in paths if path.endswith(end)] for end in (".pdf", "claims.csv"))
    if not pictures:
        return
    # Imported only now, as below.
    from replication.data.provenance import warn_of_stand_ins

    found = (re.match(r"data/(?:raw|prepared)/([^/]+)/", path) for path in read)
    yield from warn_of_stand_ins(Path("data", "raw"), sorted({match[1] for match in found if match}))
    folder = os.path.commonpath([Path(path).parent for path in pictures])
    yield f"pictures: {pictures[0] if len(pictures) == 1 else f'{len(pictures)} drawn anew in {folder}'}"
    for path in claims:
        yield f"verdicts: {path}, on one page in {folder}/scorecard.pdf; next: `make report` lays all out as a site"


def name_failed(record: dict[str, Any]) -> str:
    """Which job failed, and where its log is."""
    return f"failed: {record['rule_name']} -> {_few(record['output'])}; its log: {', '.join(record['log'])}"


def _few(paths: Sequence[str]) -> str:
    """The first of these files, and how many more there are."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def failure(record: dict[str, Any]) -> str:
    """Which job failed, where its log is, and the end of that log."""
    lines = [f"failed: {record['rule_name']} -> {_few(record['output'])}"]
    for path in map(Path, record["log"]):
        tail = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        lines += [f"  its log, {path}, ends:", *(f"    {line}" for line in tail[-_LAST_LINES:])]
    return "\n".join(lines)
