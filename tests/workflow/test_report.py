"""The report: one file that a browser opens without a network, every figure in it with its caption."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflow.browser import CHROMIUM, Page, chromium
from tests.workflow.conftest import JUDGED

from project import Project

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.xdist_group("report"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: install the package chromium"),
]

#: Clicks, in words of the page: the way home, an entry of a list, a button of a row.
HOME = "document.querySelector('nav ol a').click()"
ENTRY = "[...document.querySelectorAll('nav ul a')].find(a => a.textContent.trim() === {}).click()"
ROWS = "[...document.querySelectorAll('nav tbody tr')]"
BUTTON = "{rows}[{row}].querySelector('a[iconname=\"{icon}\"]').click()"
BAR = "document.querySelector('nav').textContent"
PICTURE = "(i => i && i.complete && i.naturalWidth > 50 && i.src)([...document.images].at(-1))"


@pytest.fixture(scope="module")
def project(judged: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A few real figures with the claims about them, and their report."""
    judged.run("--report", "report.html", "all")
    return judged


@pytest.fixture(scope="module")
def page(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        found.open(project.file("report.html"))
        found.wait_for("document.querySelector('#app').textContent.includes('Statistics')")
        yield found


def show(page: Page, category: str) -> int:
    """Go to a category by clicking; the number of figures that it lists."""
    page.evaluate(HOME)
    page.wait_for("[...document.querySelectorAll('nav ul a')].some(a => a.textContent.trim() === 'Statistics')")
    page.evaluate(ENTRY.format(json.dumps(category)))
    number: int = page.wait_for(f"{ROWS}.length")
    return number


def press(page: Page, row: int, icon: str) -> None:
    page.evaluate(BUTTON.format(rows=ROWS, row=row, icon=icon))


def test_the_scorecard_comes_first_and_figures_are_grouped_by_paper(page: Page) -> None:
    listed = page.evaluate("[...document.querySelectorAll('nav ul a')].map(a => a.textContent.trim())")
    after = [entry for entry in listed if entry not in ("Workflow", "Statistics", "About")]
    assert after == ["A scorecard of all claims", *JUDGED]


def test_every_figure_opens_with_its_caption(project: Project, page: Page) -> None:
    seen = {}
    for category in ["A scorecard of all claims", *JUDGED]:
        for row in range(show(page, category)):
            press(page, row, "eye")
            picture = page.wait_for(PICTURE)
            assert picture.startswith("data:image/svg+xml")
            label = page.evaluate(f"{ROWS}[{row}].querySelector('td').textContent.trim()")
            press(page, row, "information-circle")
            page.wait_for(f"{BAR}.includes('Description')")
            seen[category, label] = page.evaluate("document.querySelector('#app').innerText"), picture
            show(page, category)
    expected = {(paper, figure) for paper, figures in JUDGED.items() for figure in figures}
    across = {("A scorecard of all claims", name) for name in ("scorecard", "judge")}
    assert seen.keys() == expected | across
    assert len({picture for _, picture in seen.values()}) == len(seen)
    for paper, figure in expected:
        caption = project.file(f"figures/{paper}/{figure}.rst").read_text(encoding="utf-8")
        first = " ".join(caption.split()[:6]).replace("*", "").replace("``", "")
        assert first in " ".join(seen[paper, figure][0].split()), (paper, figure)


@pytest.mark.parametrize("entry", ["Workflow", "Statistics", "About"])
def test_the_pages_about_the_run_open(page: Page, entry: str) -> None:
    page.evaluate(HOME)
    page.wait_for(f"[...document.querySelectorAll('nav ul a')].some(a => a.textContent.trim() === '{entry}')")
    page.evaluate(ENTRY.format(json.dumps(entry)))
    page.wait_for("document.querySelector('#app').innerText.length > 100")


def test_nothing_complained_and_nothing_was_asked_of_the_network(page: Page) -> None:
    """The last test of the module: it speaks of all the clicks before it."""
    page.evaluate("new Promise(done => setTimeout(done, 500))")
    assert page.complaints == []
    outside = [url[:100] for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert outside == []
    assert len(page.requests) > 4


def test_complaints_and_requests_are_noticed(tmp_path: Path) -> None:
    """The watch itself works: an error in a script, a console error, an outside address."""
    broken = tmp_path / "broken.html"
    script = "console.error('loud'); setTimeout(() => nobody.home()); new Image().src = 'http://localhost:9/x'"
    broken.write_text(f"<script>{script}</script>", encoding="utf-8")
    with chromium(tmp_path / "profile") as found:
        found.open(broken)
        found.evaluate("new Promise(done => setTimeout(done, 500))")
        assert any("loud" in text for text in found.complaints)
        assert any("nobody is not defined" in text for text in found.complaints)
        assert "http://localhost:9/x" in found.requests
