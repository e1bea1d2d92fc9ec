"""How Sphinx builds the site. `make docs` lays these sources out beside the pages that are made, and builds there."""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

project = "unveil"
author = "The unveil authors"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
_origin = Path(__file__).with_name("origin.txt")  # which run the site shows
copyright = " · ".join(filter(None, [author, f"version {version}", _origin.is_file() and _origin.read_text()]))  # noqa: A001

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_design", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_site", "gallery/*.md", "gallery/*.rst", "tutorials", "tutorial/*.ipynb"]
suppress_warnings = ["config.cache"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "tutorials",
    "gallery_dirs": "tutorial",
    "filename_pattern": r".*\.py",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "tutorial/backreferences",
    "doc_module": ("unveil",),
    "reference_url": {"unveil": None},
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # that page loads a script from outside
    "capture_repr": (),
    "min_reported_time": 1e9,
    "copyfile_regex": r".*\.rst",
}

html_theme = "pydata_sphinx_theme"
html_title = "unveil"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files, html_js_files = ["verdicts.css", "site.css"], ["site.js"]
html_context = {"default_mode": "auto"}
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would have to read files that a browser does not open from a folder
html_math_renderer = "mathml"
html_sidebars: dict[str, list[str]] = {
    page: [] for page in ("index", "guarantees", "playground", "verdicts", "claims", "papers/*")
}
html_theme_options = {
    "logo": {"text": "unveil"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
    "search_bar_text": "Search",
    "navbar_persistent": ["search-button"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


@cache
def _known(letter: str) -> str:
    """A letter that the converter does not know, as text."""
    try:
        tex2mathml(letter)
    except MathError:
        return rf"\text{{{letter}}}"
    return letter


def _mathml(code: str, **options: bool) -> str:
    """Formulas are written in Unicode, too: every letter goes with the accents that are combined with it."""
    return tex2mathml(
        re.sub(r"[^\x00-\x7f][\u0300-\u036f]*", lambda found: _known(found[0]), code.replace("−", "-")), **options
    )


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math-block">{_mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def _left_out(_app: Sphinx, _kind: str, name: str, _thing: Any, skip: bool, _options: Any) -> bool:
    """What scikit-learn adds to every estimator is explained there."""
    return skip or bool(re.fullmatch(r"set_\w+_request", name))


def setup(app: Sphinx) -> None:
    """Mathematics is MathML, which browsers draw themselves: no script, nothing to fetch."""
    app.connect("autodoc-skip-member", _left_out)
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
