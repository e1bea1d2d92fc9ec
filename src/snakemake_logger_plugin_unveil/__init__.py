"""What a person sees of a run: one line a job, how far it is, how long it may take, and why a job failed.

Snakemake finds this module by its name; the default profile asks for it with `logger: unveil`.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from pathlib import Path
from typing import Any

from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_LAST_LINES = 30
#: Snakemake takes all that stands behind this option for files of the configuration.
_CONFIGFILE = (
    "error: a file of the configuration cannot be read; if a target stands behind --configfile, put it before that "
    "option, or write `--` between"
)
_NOISE = ("Select jobs to execute", "CalledProcessError")


class LogHandler(LogHandlerBase):
    """A terse companion of a long run; a dry run lists each job with its files and the reason why it runs."""

    # Takes the place of Snakemake's own messages, not of its log file; its settings (`--quiet`) go on filtering.
    writes_to_stream, writes_to_file = True, False
    has_filter, has_formatter, needs_rulegraph = False, True, False

    def __post_init__(self) -> None:
        """Choose the formatter; the clock starts with the first job."""
        super().__post_init__()
        settings = self.common_settings
        self._detailed = settings.dryrun or settings.verbose
        self._started: float | None = None
        self.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a person wants to read of `record`."""
        if self._detailed and getattr(record, "event", None) == LogEvent.JOB_INFO:
            # Without the rule's message Snakemake's own form lists a job's inputs, outputs and why it runs.
            record.rule_msg = None
        text = self.format(record) if self._detailed else self._terse(record)
        if text and text != "None":
            print(text, file=sys.stdout if self.common_settings.stdout else sys.stderr, flush=True)

    def _terse(self, record: logging.LogRecord) -> str:
        match getattr(record, "event", None):
            case LogEvent.JOB_INFO:
                self._started = self._started or time.monotonic()
                return f"[{time.strftime('%H:%M:%S')}] {record.rule_msg or record.rule_name}"  # type: ignore[attr-defined]
            case LogEvent.PROGRESS:
                done, total = record.done, record.total  # type: ignore[attr-defined]
                elapsed = time.monotonic() - (self._started or time.monotonic())
                left = remaining(elapsed / done * (total - done)) if done < total else ""
                return f"  {done} of {total} steps done{left}"
            case LogEvent.JOB_ERROR:
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
    # Imported only now: the Snakefile says first which copy of the package is the project's own.
    from replication.engine.job import ADVICE

    if "load_configfile" in text or "file is not valid JSON or YAML" in text:
        return _CONFIGFILE
    found = re.search(r"\[Errno (\d+)\] [^:\n]*(?:: '([^'\n]*)')?", text)
    if not found or not (advice := ADVICE.get(int(found[1]))):
        return text
    line = f"error: {found[2] or 'Snakemake'}: {advice}"
    return line if "Traceback" in text else f"{text}\n{line}"


def remaining(seconds: float) -> str:
    """A rough word on the time left, where it is long enough to matter."""
    if seconds < 20:
        return ""
    return f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"


def failure(record: dict[str, Any]) -> str:
    """Which job failed, where its log is, and the end of that log."""
    lines = [f"failed: {record['rule_name']} -> {', '.join(record['output'])}"]
    for path in map(Path, record["log"]):
        tail = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        lines += [f"  its log, {path}, ends:", *(f"    {line}" for line in tail[-_LAST_LINES:])]
    return "\n".join(lines)
