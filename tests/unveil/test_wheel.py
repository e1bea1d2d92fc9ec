"""What `pip install unveil` brings: the library alone, with its types, and no need of what the replication needs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
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


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment, outside the repository, with the wheel and what it asks for."""
    place = tmp_path_factory.mktemp("elsewhere") / "env"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(place)], check=True)
    command = [*uv, "pip", "install", "--quiet", "--python", str(place / "bin/python"), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index: {done.stderr[-200:]}")
    return place / "bin"


def fresh(binary: Path, folder: Path, *arguments: str) -> str:
    """What a program of that environment says; it must end well."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONWARNINGS": "error::DeprecationWarning:unveil"}
    command = [str(binary), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def test_the_wheel_alone_runs_what_the_readme_shows(elsewhere: Path, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert fresh(elsewhere / "python", tmp_path, "-c", code).startswith("6.0 [0.")


COMMANDS = """
release mean-operator rows.csv --epsilon 4 --label ill --features a,b --range a=0:1 --range b=0:1 --out m.unveil
fit mean-operator m.unveil rows.csv --model m.model
predict m.model rows.csv --out m.csv
release products rows.csv --epsilon 4 --label c --features a,b --range a=0:1 --range b=0:1 --range c=0:1 --out p.unveil
inspect p.unveil
fit products p.unveil --model p.model
inspect p.model
predict p.model rows.csv --out p.parquet
release ratios rows.csv --epsilon 4 --label ill --sets set --features a,b --range a=0:1 --range b=0:1 --out r.unveil
fit ratios r.unveil rows.csv --model r.model
predict r.model rows.csv --out r.csv
release tags text.csv --label tag --features word --sets sentence --window 2 --out t.unveil
fit tags t.unveil text.csv --set method=moments --model t.model
predict t.model text.csv --out t.csv
release records rows.csv --epsilon 9 --label ill --features a,b --range a=0:1 --range b=0:1 --out n.unveil
fit records n.unveil --set iterations=20 --model n.model
predict n.model rows.csv --out n.csv
audit ratios --epsilon 1 --samples 2000
advise --rows 500 --columns 2 --task regress --epsilon 4 --trials 3
--version
"""


def test_the_wheel_alone_runs_every_command(elsewhere: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 600)).round(4)
    with (tmp_path / "rows.csv").open("w") as rows:
        rows.write("set,a,b,c,ill\n")
        rows.writelines(
            f"s{i % 6},{x},{y},{(x + y) / 2},{int(x > 0.2 + 0.1 * (i % 6))}\n"
            for i, (x, y) in enumerate(zip(a, b, strict=True))
        )
    with (tmp_path / "text.csv").open("w") as text:
        text.write("sentence,word,tag\n")
        text.writelines(f"{i},the,DT\n{i},{('dog', 'cat')[i % 2]},NN\n{i},runs,VB\n" for i in range(60))
    said = {line: fresh(elsewhere / "unveil", tmp_path, *line.split()) for line in COMMANDS.strip().splitlines()}
    assert all(said.values())
    assert said["--version"] == fresh(elsewhere / "python", tmp_path, "-m", "unveil", "--version")
    assert (tmp_path / "p.parquet").stat().st_size > 0
