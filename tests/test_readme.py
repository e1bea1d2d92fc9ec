"""What the README shows works as shown."""

from __future__ import annotations

import re

import pytest

from project import ROOT

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]


def test_the_library_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own page
    shares = [float(text) for text in re.findall(r"\d\.\d+", capsys.readouterr().out)]
    assert len(shares) == 20
    assert sum(shares) / 20 == pytest.approx(0.3, abs=0.05)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_make_targets_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        shown = re.findall(r"(?:^|`)make ([a-z-]+)(?=`|\s+#|$)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(shown) <= targets, page.name
