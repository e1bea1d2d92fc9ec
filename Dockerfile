# The replication in a container: built from the lock, it runs the two commands of the README.
#
#   docker build -t unveil .
#   docker run --rm -v "$PWD/results:/unveil/results" -v "$PWD/figures:/unveil/figures" unveil make figures
#   docker run --rm unveil make test
#
# A mirror of the data files: -v /path:/mirror:ro -e UNVEIL_MIRROR=/mirror. Packages come from the index that pip is
# configured with: --build-arg PIP_INDEX_URL=...  Folders that are mounted must be writable by user 1000.
FROM python:3.11-slim-bookworm

# make and a compiler for the environment, git and Chromium for the tests.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends build-essential chromium git make \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 unveil && mkdir /unveil && chown unveil:unveil /unveil
USER unveil
WORKDIR /unveil
ARG PIP_INDEX_URL

# The environment first: it changes with the lock only.
COPY --chown=unveil:unveil Makefile pyproject.toml README.md LICENSE ./
COPY --chown=unveil:unveil requirements requirements
COPY --chown=unveil:unveil workflow/environment workflow/environment
COPY --chown=unveil:unveil src src
RUN make .venv/dev

COPY --chown=unveil:unveil . .
ENV PATH=/unveil/.venv/bin:$PATH
CMD ["make", "figures"]
