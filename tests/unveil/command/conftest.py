"""The command, in the process of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from own_tables import Said, Unveil
from unveil.command import main as cli


@pytest.fixture
def unveil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Unveil:
    """The command, in this process and in a folder of its own; a word may be a line of words."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Said:
        capsys.readouterr()
        code = cli.main(line.split())
        return Said(code, *capsys.readouterr())

    return run
