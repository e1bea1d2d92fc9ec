# make figures: everything from raw data · make test: the whole test suite · make help: the rest

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CORES ?= all
SECONDS ?= 60
BIN := .venv/bin
COMPILE := $(BIN)/uv pip compile pyproject.toml $(if $(ONLY),--upgrade-package $(ONLY),--upgrade) --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header --no-annotate -q
export MPLBACKEND := agg

.PHONY: help figures sample machine test test-slurm test-faults mutants fuzz verify repair check bench format report gallery lock clean docs list compare
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

figures: .venv/run ## make the environment, then every figure and table at the scale of the papers
	$(BIN)/snakemake --cores $(CORES) all

sample: .venv/run ## the same with smaller numbers, under figures/sample
	$(BIN)/snakemake --cores $(CORES) --profile profiles/sample all

machine: ## as root on Debian, what tests use beside Python: a browser for the site, Slurm and munge for a cluster
	@which chromium slurmctld slurmd munged >/dev/null || { apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium slurm-wlm munge; } >/dev/null

test: .venv/dev ## all tests, the sample run among them
	$(BIN)/python -m pytest -n auto --dist loadscope

test-slurm: .venv/dev ## the sample on a Slurm cluster of its own, with jobs, node and run killed
	$(BIN)/python -m pytest -m slurm tests/slurm

test-faults: .venv/dev ## break runs in twenty ways, and see them recover: 10 minutes
	$(BIN)/python -m pytest -m faults -n 2 --dist load tests/faults

mutants: .venv/dev ## plant mistakes in what privacy and recovery rest on, and see the tests find them: docs/mutation.md
	$(BIN)/uv pip install -q --python $(BIN)/python -r pyproject.toml --extra mutants -c requirements/dev.txt
	$(BIN)/python -m tools.mutants --each 50

fuzz: .venv/dev ## look for files that break a reader, SECONDS for each, and for lies that are believed
	$(BIN)/uv pip install -q --python $(BIN)/python -r pyproject.toml --extra fuzz -c requirements/dev.txt
	PYTHONPATH=src:. $(BIN)/python -m tools.fuzz --seconds $(SECONDS)
	UNVEIL_FUZZ=long NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.cache/checked $(BIN)/python -m pytest -q tests/fuzz/test_sealed.py

verify: .venv/run ## compare every file that was made with its checksum
	$(BIN)/python -m replication.engine.seal

repair: .venv/run ## delete what is damaged, after a power cut say; the next run makes it anew
	$(BIN)/python -m replication.engine.seal --repair

check: .venv/dev ## lint, types, workflow lint and the fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=src:. $(BIN)/lint-imports --no-cache
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/python -m pytest -m "not slow and not pipeline"

format: .venv/dev ## put all code into the project's layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

report: .venv/dev ## the site with this folder's results in it, report/index.html; replication.pdf, the same as a paper
	$(BIN)/snakemake --cores $(CORES) all
	$(BIN)/python -m tools.site.build report
	$(BIN)/python -m tools.paper

bench: .venv/dev ## our kernels against their references, on one core: docs/bench.md
	$(BIN)/snakemake --cores 1 bench
	$(BIN)/python -m tools.bench.report

gallery: .venv/run ## a whole run and what the site shows of it, docs/gallery: pictures, verdicts, costs
	$(BIN)/snakemake --cores $(CORES) all
	$(BIN)/python -m tools.gallery
	$(BIN)/python -m tools.costs

lock: .venv/dev ## pin the packages anew from pyproject.toml, or with ONLY=NAME that one and what it asks for
	$(COMPILE) --extra replication -o requirements/run.txt
	$(COMPILE) $(addprefix --extra ,replication dev docs dask peers slurm) -c requirements/run.txt -o requirements/dev.txt
	$(BIN)/python -m tools.lock

clean: ## remove what was made, but keep the raw data and the environment
	rm -rf results/* figures/* logs data/prepared .snakemake .cache
	git checkout -q -- results figures

.venv/run: requirements/run.txt
.venv/dev: requirements/dev.txt
.venv/run .venv/dev:
	./workflow/environment $@ $<

list: .venv/run ## every figure: what it found, and what it costs
	@$(BIN)/python -m tools.targets

compare: .venv/run ## which scores and verdicts differ between two runs: make compare A=results B=results/other
	@$(BIN)/python -m tools.compare $(A) $(B)

docs: .venv/dev ## the site, docs/_site/index.html, with what docs/gallery holds: tutorials run, nothing is fetched
	$(BIN)/python -m tools.site.build
