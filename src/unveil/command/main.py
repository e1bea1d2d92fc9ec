"""The command `unveil`: schema, release, inspect, merge, fit, predict, audit, advise.

What a command does stands in modules of their own, which are imported when it runs.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any

import rich_click as click

from unveil.advice import TASKS
from unveil.errors import TooNoisy, UnveilError, escape
from unveil.protocols import PROTOCOLS

#: Lets the process open nothing else from now on; in tests, which share their process, nothing happens.
Guard = Callable[[Iterable[Path | None], Iterable[Path | None]], None]
_FILE: Any = click.Path(path_type=Path)
_SETTINGS: Any = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


def _example(*lines: str) -> str:
    """An epilogue with commands that can be copied."""
    return "\n\n".join(["Example:", *lines])


@click.group(
    context_settings=_SETTINGS,
    epilog='Completion of words by the shell: eval "$(_UNVEIL_COMPLETE=bash_source unveil)", likewise zsh_source and '
    "fish_source.",
)
@click.version_option(package_name="unveil", prog_name="unveil")
def cli() -> None:
    """Learn from data seen only through a veil.

    An owner releases what a veil lets through of private columns; a learner fits a model to the release and to what is
    public. Tables are CSV or Parquet files, columns go by their names.
    """


class _ByProtocol(click.RichCommand):
    """Asked for help with a protocol, it says what that one needs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if {"-h", "--help"} & {*args}:
            ctx.meta["unveil.about"] = next((word for word in args if word in PROTOCOLS), None)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        told, name = copy(self), ctx.meta.get("unveil.about")
        if name:
            from unveil.protocols.base import find_protocol

            told.help = f"PROTOCOL {name}: {PROTOCOLS[name]}.\n\n{find_protocol(name).describe_needs(self.name)}"
        super(_ByProtocol, told).format_help(ctx, formatter)


class _Release(_ByProtocol):
    """With the options of each protocol, which are loaded only when they are needed."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from unveil.protocols.base import find_protocol

        *params, ask_for_help = super().get_params(ctx)
        chosen, owners = ctx.meta.get("unveil.about"), dict[Any, list[str]]()
        for name in PROTOCOLS if chosen is None else [chosen]:
            for option in find_protocol(name).options:
                owners.setdefault(option, []).append(name)
        for option, names in owners.items():
            spelt, flag = option.name.replace("_", "-"), option.type is None
            text = option.help if chosen else f"{', '.join(names)}: {option.help}"
            params.append(click.Option([f"--{spelt}"], type=option.type, is_flag=flag, help=text))
        unasked = {"epsilon", "sets"} - {*find_protocol(chosen).needed} if chosen else ()
        return [*(param for param in params if param.name not in unasked), ask_for_help]


@cli.command(
    cls=_Release,
    help=f"""The owner's side: write what may leave, with exact noise.

    PROTOCOL is one of {", ".join(f"{name} ({private})" for name, private in PROTOCOLS.items())}.

    A value outside a public range is taken as the range's nearer end, a text outside a public list as none of it. Only
    you are told; the release does not show it.
    """,
    epilog=_example(
        "unveil release products rents.csv --epsilon 2 --label rent --schema public.json --out rents.unveil",
        "unveil release ratios votes.parquet --epsilon 1 --label vote --sets district --out votes.unveil",
    ),
)
@click.argument("protocol", type=click.Choice(PROTOCOLS), metavar="PROTOCOL")
@click.argument("data", type=_FILE)
@click.option("--epsilon", type=float, help="The privacy level of one record, where there is one.")
@click.option("--label", required=True, help="The private column: classes, numbers, or tags.")
@click.option("--features", metavar="A,B,…", help="The other columns that are used; by default all that are left.")
@click.option("--id", "id_column", metavar="COL", help="A column that numbers or names the records; it is left out.")
@click.option("--sets", metavar="COL", help="The column that says which set or sentence a row is in.")
@click.option("--range", "ranges", multiple=True, metavar="COL=LO:HI", help="A public range, which scales to [0, 1].")
@click.option("--schema", type=_FILE, help="Public ranges and categories, in JSON; both sides may share it.")
@click.option("--ledger", type=_FILE, help="A file where all releases about these records are noted.")
@click.option("--records", help="What the ledger calls these records; by default the table's name.")
@click.option("--limit", type=float, help="The ledger refuses to go beyond this epsilon.")
@click.option("--simulation", is_flag=True, help="Nothing real is at stake: allow a seed.")
@click.option("--seed", type=int, help="Needs --simulation: whoever knows it can take the noise off.")
@click.option("--out", type=_FILE, required=True, help="The release file; nothing is ever overwritten.")
@click.pass_obj
def release(guard: Guard, /, id_column: str | None, **options: Any) -> None:
    """Confine the process, and publish."""
    guard([options["data"], options["schema"]], [_folder(options["out"]), _folder(options["ledger"])])
    from unveil.command.owner import release as run
    from unveil.protocols.protocol import Order

    own = {name: options.pop(name) for name in [*options] if name not in Order.__dataclass_fields__}
    with _progress("reading") as advance:
        said, notes = run(Order(id=id_column, more=own, **options), advance)
    _tell(said, notes)


@cli.command(epilog=_example("unveil schema rents.csv --out public.json"))
@click.argument("data", type=_FILE)
@click.option("--public", is_flag=True, help="DATA is public: take its own ranges and categories.")
@click.option("--out", type=_FILE, help="Where to write it; by default it is printed.")
def schema(data: Path, public: bool, out: Path | None) -> None:
    """Write a schema for the columns of DATA, with the ranges and lists left to fill in.

    Names and types are all that is looked at: what a range or a list is must be known without the rows.
    """
    from unveil.command.sketching import sketch as run

    said, notes = run(data, out, public)
    for note in notes:
        _note(note)
    click.echo(escape(said) if out else said)


@cli.command(epilog=_example("unveil inspect rents.unveil", "unveil inspect rents.model --values"))
@click.argument("file", type=_FILE)
@click.option("--values", is_flag=True, help="The shares of sets, or a model's weights in the table's units.")
def inspect(file: Path, values: bool) -> None:
    """Say what FILE, a release or a model, holds and promises."""
    from unveil.command.inspecting import inspect as run

    click.echo(run(file, values))


@cli.command(epilog=_example("unveil merge north.unveil south.unveil --out both.unveil"))
@click.argument("releases", type=_FILE, nargs=-1, required=True)
@click.option("--out", type=_FILE, required=True, help="The release file; nothing is ever overwritten.")
def merge(releases: tuple[Path, ...], out: Path) -> None:
    """Make one release of RELEASES, which must be about different records."""
    from unveil.command.learner import merge as run

    _tell(run(releases, out))


@cli.command(
    cls=_ByProtocol,
    epilog=_example(
        "unveil fit products rents.unveil --model rents.model",
        "unveil fit mean-operator labels.unveil people.csv --set l2=0.01 --model people.model",
    ),
)
@click.argument("protocol", type=click.Choice(PROTOCOLS), metavar="PROTOCOL")
@click.argument("release", type=_FILE)
@click.argument("public", type=_FILE, required=False)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the estimator.")
@click.option("--estimator", help="Another than the protocol's first; an unknown name lists all.")
@click.option("--model", type=_FILE, required=True, help="The model file to write.")
@click.option("--force", is_flag=True, help="Write it in the place of another file.")
def fit(**options: Any) -> None:
    """The learner's side: a model from a release, and from the public rows where the protocol has some.

    PROTOCOL is that of the release, as `unveil inspect RELEASE` says it. PUBLIC is the table with the public columns:
    the same rows in the same order, or the same sets or sentences. Leave it out where the release holds all there is.
    An unknown NAME lists the settings that there are.
    """
    from unveil.command.learner import fit as run

    _tell(run(**options))


@cli.command(epilog=_example("unveil predict rents.model new.csv --out predicted.csv"))
@click.argument("model", type=_FILE)
@click.argument("data", type=_FILE)
@click.option("--id", "id_column", metavar="COL", help="A column to carry over beside the predictions.")
@click.option("--out", type=_FILE, required=True, help="The table to write, .csv or .parquet.")
@click.option("--force", is_flag=True, help="Write it in the place of another file.")
def predict(model: Path, data: Path, id_column: str | None, out: Path, force: bool) -> None:
    """Predict with MODEL for each row of DATA, or for each set of it; DATA has the columns of the features."""
    from unveil.command.learner import predict as run

    with _progress("predicting") as advance:
        said, notes = run(model, data, out, force, id_column, advance)
    _tell(said, notes)


@cli.command(epilog=_example("unveil audit products --epsilon 1"))
@click.argument("protocol", type=click.Choice(PROTOCOLS), metavar="PROTOCOL")
@click.option("--epsilon", type=float, required=True, help="The level that is claimed.")
@click.option("--samples", type=int, default=200_000, show_default=True, help="Releases of either neighbour.")
def audit(protocol: str, epsilon: float, samples: int) -> None:
    """Release two neighbours again and again, and say what that betrays beside what is claimed.

    No data are read: the neighbours are made up, those that the exact mechanism of PROTOCOL tells apart best.
    """
    from unveil.command.auditing import audit as run

    with _progress("releasing") as advance:
        said = run(protocol, epsilon, samples, advance)
    click.echo(said)


@cli.command(
    epilog=_example(
        "unveil advise --rows 20000 --columns 8 --task regress --epsilon 2",
        "unveil advise --rows 5000 --columns 4 --task classify --epsilon 1 --like public.csv --label sick",
    )
)
@click.option("--rows", type=int, required=True, help="How many records you have; for tags, how many words.")
@click.option("--columns", type=int, required=True, help="How many features; with --like those of the table count.")
@click.option("--task", type=click.Choice(TASKS), required=True, help="What is to be learned.")
@click.option("--epsilon", type=float, required=True, help="The level that one record may be released at.")
@click.option("--like", type=_FILE, help="A PUBLIC table to draw from in place of synthetic data; never private data.")
@click.option("--label", metavar="COL", help="The label of that table.")
@click.option("--sets", type=int, default=20, show_default=True, help="How many sets the records come in, if in any.")
@click.option("--trials", type=int, default=8, show_default=True, help="How often everything is tried.")
@click.option("--figure", type=_FILE, help="Draw the table, too: .png, .pdf or .svg.")
@click.option("--force", is_flag=True, help="Write the figure in the place of another file.")
def advise(**options: Any) -> None:
    """Try all veils and estimators on data of the shape of yours, and rank them by expected error.

    Data are synthetic, or drawn from a table that is public. Private data are never looked at.
    """
    with _progress("trying") as advance:
        from unveil.command.advising import advise as run

        table = run(progress=advance, **options)
    click.echo(table)


@contextmanager
def _progress(label: str) -> Iterator[Callable[[float], object] | None]:
    """A bar on standard error, if that is a terminal; it is told which share is done."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:
        yield lambda share: bar.update(round(1000 * share) - bar.pos)


def _folder(path: Path | None) -> Path | None:
    return path.parent if path else None


def _tell(said: str, notes: Iterable[str] = ()) -> None:
    for note in notes:
        _note(note)
    click.echo(escape(said))


def _note(text: str) -> None:
    click.echo(f"unveil: note: {escape(text)}", err=True)


def _no_guard(readable: Iterable[Path | None], writable: Iterable[Path | None]) -> None:
    """Tests share their process with what comes after them."""


def _confine(readable: Iterable[Path | None], writable: Iterable[Path | None]) -> None:
    """The owner opens the files that it was told, and no network."""
    from unveil.confinement import confine, system_folders
    from unveil.kernels import kernel_folders

    if not confine([*system_folders(), *filter(None, readable)], [*filter(None, writable), *kernel_folders()]):
        _note("this kernel has no Landlock: nothing but its own code keeps this process from other files")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the caller is one line on standard error and an exit code other than 0."""
    return _run(arguments, _no_guard)


def program() -> int:
    """The same as a process of its own: the owner's is confined."""
    from unveil.kernels import drop_broken, kernel_folders

    drop_broken(kernel_folders())  # without a place for its compiled kernels numba refuses to work
    return _run(None, _confine)


def _run(arguments: Sequence[str] | None, guard: Guard) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooNoisy)  # `fit` says so, and its model keeps it
        warnings.showwarning = lambda message, *_, **__: _note(" ".join(str(message).split()))
        try:
            code = cli.main(arguments, prog_name="unveil", standalone_mode=False, obj=guard)
        except SystemExit as error:  # without a command the help was printed, which is an error
            code = error.code
        except click.ClickException as error:
            return _fail(error.format_message(), 2)
        except UnveilError as error:
            return _fail(str(error), 1)
        except (click.Abort, KeyboardInterrupt):
            return _fail("stopped", 130)
        except OSError as error:
            return _fail(f"{error.strerror or error}: {error.filename or 'standard output'}", 1)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int) -> int:
    click.echo(f"unveil: {escape(' '.join(message.split()))}", err=True)
    return code
