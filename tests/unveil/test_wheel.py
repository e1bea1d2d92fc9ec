"""What `pip install unveil` brings: the library alone, with its types, and no need of what the replication needs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import unveil

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow

#: What the replication or the plots need, and the library does not. As if they were not installed: scikit-learn
#: imports pandas by itself where it finds it.
PROBE = """
import json, sys
sys.modules.update(dict.fromkeys(["matplotlib", "pandas", "replication", "requests", "snakemake"]))
sys.path.insert(0, sys.argv[1])
import unveil
from unveil.command import main
print(json.dumps([unveil.__file__, [getattr(unveil, name).__name__ for name in unveil.__all__]]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as setuptools leaves its folders beside the sources."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    for folder in ("figures", "results", "tests", "tools"):  # a tempting neighbourhood
        (copy / folder).mkdir()
        (copy / folder / "__init__.py").touch()
    here = ["--no-build-isolation"] if find_spec("setuptools") else []
    command = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", *here, "--out-dir", str(out), str(copy)]
    subprocess.run(command, check=True)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_the_library_alone(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    files = [*(ROOT / "src/unveil").rglob("*.py"), *(ROOT / "src/unveil").rglob("*.pyi")]
    sources = {str(file.relative_to(ROOT / "src")) for file in files}
    assert {name for name in held if ".dist-info/" not in name} == {*sources, "unveil/py.typed"}
    (folder,) = {name.partition("/")[0] for name in held if ".dist-info/" in name}
    assert f"{folder}/licenses/LICENSE" in held


def test_the_installed_library_needs_nothing_of_the_replication(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    command = [sys.executable, "-c", PROBE, str(tmp_path)]
    said = subprocess.run(command, cwd="/", env={}, capture_output=True, text=True, check=True).stdout
    file, found = json.loads(said)
    assert Path(file).is_relative_to(tmp_path)
    assert found == dir(unveil)
