"""What the README shows works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from project import ROOT

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
#: Words that pages do without, and what stands in their place.
INSTEAD = {
    r"\b(?:accuracy|bits?|costs?|array|error|field|file|item|line|memory|minutes|page|process|row|seconds) an? "
    r"(?:claim|class|figure|field|job|label|paper|position|record|row|set|setting|stage|token|trial|window)\b": "per",
    r"\b(?:means?|averages?) over\b": "of",
    r", less (?:the|that|those|what)\b|\w less (?:the|that)\b": "minus",
    r"\bMnist\b": "MNIST",
}
#: Pages that quote papers.
QUOTING = ("claims.md", "errata.md")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]


def test_the_library_example_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own page
    said = [float(text) for text in re.findall(r"-?\d+\.\d+", capsys.readouterr().out)]
    assert said[0] == 6.0  # half of what is promised
    assert said[1:4] == pytest.approx([0.6, 0.1, 0.2], abs=0.15)
    intervals = list(zip(said[4::2], said[5::2], strict=True))
    assert all(low < value < high for (low, high), value in zip(intervals, said[1:4], strict=True))


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_make_targets_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        shown = re.findall(r"(?:^|`)make ([a-z-]+)(?=`|\s+#|$)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(shown) <= targets, page.name


@pytest.mark.parametrize(
    "page",
    [*(page for page in PAGES if page.name not in QUOTING), *(ROOT / "tools/templates").iterdir()],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_pages_are_in_plain_words(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = {f"{match[0]!r}: say {word}" for pattern, word in INSTEAD.items() for match in re.finditer(pattern, text)}
    assert found == set()
