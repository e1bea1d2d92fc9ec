"""The site in a real browser, with a run's results in it: nothing is broken, nothing is asked of the network."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from tests.workflow.browser import CHROMIUM, Page, chromium
from tests.workflow.conftest import JUDGED
from tools import gallery
from tools.configuration import read_texts
from tools.errata_page import ERRATA
from tools.site.build import build

from project import ROOT, Project
from replication.judging.judge import judge
from replication.palette import VERDICTS

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.slow,
    pytest.mark.xdist_group("site"),
    pytest.mark.filterwarnings("default"),
]
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: install the package chromium")
#: What the list of changes follows, and the papers: links that a reader may click, nothing that a page needs.
STANDARDS = ("https://keepachangelog.com/en/1.1.0/", "https://semver.org/", "https://doi.org/")
#: What a reader of a paper asks, as words of the paper's link on the front page and of the claim that answers.
QUESTIONS = [
    ("Class ratios", "distort"),
    ("Class ratios", "MMD"),
    ("Linear moments", "regression"),
    ("Mean operator", "factor"),
    ("Spread likelihood", "beats noisy training"),
]
PHONE, DESK = (390, 844), (1280, 900)
BROKEN = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)"
EAGER = "document.querySelectorAll('img[loading=lazy]').forEach(i => i.loading = 'eager')"
LOADED = "[...document.images].every(i => i.complete)"
WIDE = "document.documentElement.scrollWidth - window.innerWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


class Links(HTMLParser):
    """What a page points to, and the anchors that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = {"", "top"}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of every address and every anchor."""
        del tag
        known = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := known.get(key))}
        self.targets |= {value for key in ("href", "src") if (value := known.get(key))}


@pytest.fixture(scope="module")
def site(judged: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the figures of a small run in it, and the claims of all papers, most of them not tested."""
    folder = tmp_path_factory.mktemp("site")
    folders = {name: str(judged.file(name)) for name in ("figures", "results", "logs")}
    gallery.gather(ROOT, folders, folder / "collected")
    papers = [paper for paper in read_texts() if paper in ERRATA]
    claims, _, choices, _ = judge(papers, map(str, judged.root.glob("results/*/*/scores.csv")), [])
    for name, table in (("claims", claims), ("claims_choices", choices)):
        table.to_csv(folder / "collected" / f"{name}.csv", index=False)
    return build(ROOT, folder / "collected", folder / "site", folder / "stage")


@pytest.fixture(scope="module")
def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 70
    return found


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with chromium(tmp_path / "profile") as found:
        yield found


def resize(page: Page, size: tuple[int, int]) -> None:
    width, height = size
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)


def test_no_link_is_dead_and_none_leads_outside(pages: list[Path]) -> None:
    known = {page.resolve(): Links(page) for page in pages}
    dead = []
    for page, links in known.items():
        for target in links.targets:
            path, anchor = urldefrag(target)
            file = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            if path.startswith(STANDARDS):
                continue
            outside = path.startswith(("http:", "https:", "//"))
            missing = not file.exists() or (file in known and unquote(anchor) not in known[file].anchors)
            if outside or (missing and not path.startswith(("data:", "mailto:"))):
                dead.append(f"{page.name}: {target}")
    assert dead == []


def test_figures_and_verdicts_of_the_run_are_in_it(site: Path) -> None:
    for paper, figures in JUDGED.items():
        text = (site / "papers" / f"{paper}.html").read_text(encoding="utf-8")
        for figure in figures:
            # A figure that is a table is shown as one.
            assert f"_images/{paper}_{figure}.svg" in text or f"{paper}_{figure}.csv" in text
    assert "● holds" in (site / "papers/spread.html").read_text(encoding="utf-8")
    assert "judge.svg" in (site / "verdicts.html").read_text(encoding="utf-8")


def test_no_page_is_heavy(pages: list[Path]) -> None:
    heavy = {page.name: page.stat().st_size for page in pages if not page.stem.endswith("_code")}
    assert {name: size for name, size in heavy.items() if size > 250_000} == {}


def test_no_tutorial_says_what_it_did_not_compute(site: Path) -> None:
    for file in (ROOT / "docs/tutorials").glob("plot_*.py"):
        text = (site / "tutorial" / f"{file.stem}.html").read_text(encoding="utf-8")
        assert "sphx-glr-script-out" in text
        assert f"sphx_glr_{file.stem}_001.png" in text
        assert "Traceback" not in text


@in_browser
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_every_page_is_whole(page: Page, pages: list[Path], size: tuple[int, int]) -> None:
    resize(page, size)
    for path in pages:
        page.open(path)
        page.evaluate(EAGER)
        page.wait_for(LOADED)
        assert page.evaluate(BROKEN) == [], path.name
        assert page.evaluate(WIDE) <= 0, f"{path.name} is cut at {size[0]} px"
        assert page.complaints == [], path.name
    outside = [url[:100] for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert outside == []


@in_browser
@pytest.mark.parametrize(("paper", "asked"), QUESTIONS)
def test_a_question_is_answered_on_the_first_screen_of_the_papers_page(
    page: Page, site: Path, paper: str, asked: str
) -> None:
    resize(page, DESK)
    page.open(site / "index.html")
    link = f"[...document.querySelectorAll('article a')].find(a => a.textContent === '{paper}').href"
    page.call("Page.navigate", url=page.evaluate(link).partition("#")[0])
    row = f"[...document.querySelectorAll('table.claims tr')].find(r => r.textContent.includes('{asked}'))"
    page.wait_for(f"Boolean({row})")
    assert page.evaluate(f"{row}.getBoundingClientRect().bottom") <= DESK[1]
    assert page.evaluate(f"{row}.querySelector('.verdict').textContent").split()[-1] in {
        look.label.split()[-1] for look in VERDICTS.values()
    }


@in_browser
def test_verdicts_are_filtered_and_a_link_into_a_fold_opens_it(page: Page, site: Path) -> None:
    page.open(site / "papers/spread.html")
    shown = "[...document.querySelectorAll('table.claims tr[data-verdict]')].filter(r => !r.hidden)"
    everything = page.evaluate(f"{shown}.length")
    page.evaluate("document.querySelector('button[data-show=reproduced]').click()")
    assert 0 < page.evaluate(f"{shown}.length") < everything
    assert page.evaluate(f"{shown}.every(r => r.dataset.verdict === 'reproduced')")
    anchor = "document.querySelector('details tr[id]').id"
    page.call("Page.navigate", url=f"{(site / 'papers/spread.html').as_uri()}#{page.evaluate(anchor)}")
    page.wait_for("document.getElementById(location.hash.slice(1))?.getBoundingClientRect().height > 0")


@in_browser
def test_commands_have_a_button_that_copies(page: Page, site: Path) -> None:
    page.open(site / "index.html")
    assert page.evaluate("document.querySelectorAll('div.highlight-console button.copy').length") == 1


@in_browser
def test_mathematics_is_drawn(page: Page, site: Path) -> None:
    page.open(site / "papers/spread.html")
    heights = page.evaluate("[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().height)")
    assert heights
    assert min(heights) > 5
    assert ":math:" not in page.evaluate("document.body.innerText")


@in_browser
def test_dark_and_light(page: Page, site: Path) -> None:
    seen = {}
    for mode in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
        page.open(site / "index.html")
        red, green, blue = (int(part) for part in page.evaluate(BACKGROUND).strip("rgb()").split(",")[:3])
        seen[mode] = (red + green + blue) / 3
    assert seen["dark"] < 60
    assert seen["light"] > 200


@in_browser
def test_the_first_screen_says_what_it_is_and_what_holds(page: Page, site: Path) -> None:
    resize(page, DESK)
    page.open(site / "index.html")
    bottom = "[...document.querySelectorAll('article li')].map(i => i.getBoundingClientRect().bottom)"
    assert max(page.evaluate(bottom)[:4]) <= DESK[1]
    assert page.evaluate("document.querySelector('footer.bd-footer').innerText").count("version") == 1


@in_browser
def test_search_works_without_a_server(page: Page, site: Path) -> None:
    page.call("Page.navigate", url=(site / "search.html").resolve().as_uri() + "?q=MomentRegression")
    page.wait_for("document.querySelectorAll('#search-results li a').length > 0")
    found = page.evaluate("[...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))")
    assert any("library/MomentRegression.html" in link for link in found)
    assert page.complaints == []


@in_browser
def test_the_playground_answers(page: Page, site: Path, tmp_path: Path) -> None:
    """With two methods at one point, the better one leads; where less is better, the smaller one."""
    data = '{"tasks": [{"task": "t", "measure": "error", "less": true, "rows": [["d", 1.0, 5, "worse", 0.4, 0.3, 0.5],'
    data += ' ["d", 1.0, 5, "better", 0.1, 0.05, 0.15], ["d", "none", 5, "worse", 0.1, 0.0, 0.2]]}],'
    data += ' "leaders": [["d", 1.0, 5, "better", "better", 0.3, 0.2, 0.4]]}'
    script = (site / "_static/playground.js").read_text(encoding="utf-8")
    small = tmp_path / "play.html"
    text = f"<div id=playground></div><script>const PLAYGROUND = {data};</script><script>{script}</script>"
    small.write_text(f"<!doctype html><meta charset=utf-8>{text}", encoding="utf-8")
    page.open(small)
    assert page.evaluate("document.querySelectorAll('rect').length") == 2
    said = page.evaluate("document.querySelector('.said').textContent")
    assert said.startswith("Best on average: better, error 0.1.")
    assert "Surely best, on the same trials: better, by 0.3 (0.2 to 0.4)." in said
    page.evaluate("(s => { s.value = 'none'; s.dispatchEvent(new Event('change')) })(document.forms[0].elements['ε'])")
    assert page.evaluate("document.querySelectorAll('rect').length") == 1
    assert page.complaints == []


@in_browser
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
