"""What was tried to break runs, boundaries and releases: what came of it once, and the test that keeps it from coming back.

`python tests/support/attacks.py` writes the table into docs/attacks.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "attacks.md"
MARK = "<!-- attacks -->\n"

_FETCH, _ENGINE, _COMMAND = (
    "replication/data/fetching/test_",
    "replication/engine/test_",
    "unveil/command/test_statistic",
)
_FAULTS, _FLOW = "faults/test_faults", "workflow/test_"
#: By what is attacked: the attack, what came of it before it was mended, and the test, without `tests/` and `test_`.
ATTACKS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "Downloads": [
        ("a bomb of 1 KB, with a limit of 1 MB", "3 GB of memory", f"{_FETCH}unpacking::archive_bombs_take_no_memory"),
        ("an archive of another kind than its name says", "unpacked all the same", f"{_FETCH}unpacking::compression_is_as_the_name_says"),
        ("a mirror file that is a device or a pipe", "read for ever", f"{_FETCH}unpacking::what_is_no_file_is_not_copied"),
        ("headers that drip for ever", "waited for ever", f"{_FETCH}addresses::headers_that_never_end"),
        ("a redirect from https to http", "followed", f"{_FETCH}addresses::redirects_keep_encryption"),
        ("an answer that clears the terminal", "printed as it came", f"{_FETCH}addresses::next_source_is_used"),
        ("redirects in a circle or to one's own files, lengths below zero, headers of megabytes", "refused", f"{_FETCH}addresses::next_source_is_used"),
        ("a mirror of links in a circle, folders and files of a terabyte", "refused", f"{_FETCH}mirror_and_disk::incomplete_mirror"),
    ],
    "What “full” means": [
        ("noise of the right shape from a source without a hash", "graded as the paper's data", f"{_FETCH}addresses::pinned_on_first_use"),
        ("content that differs from its pin", "a stand-in in its place", f"{_FETCH}addresses::another_file_than_its_hash_stops_the_run"),
        ("a hash that nobody has vouched for", "not said", f"{_FETCH}addresses::a_person_vouches_for_a_pin"),
    ],
    "The owner's command": [
        ("a release of the same name", "overwritten, the budget spent twice", f"{_COMMAND}::a_release_is_never_overwritten"),
        ("`--out` that names the private labels", "the labels overwritten", f"{_COMMAND}::mistakes_of_the_owner_are_one_line"),
        ("a link, a pipe or a folder in the file's place", "followed", "unveil/test_files::what_exists_stays"),
        ("a malformed first line", "taken for names, a record lost", f"{_COMMAND}::csv_files_with_and_without_names"),
        ("features of 1e308", "the budget spent on a file that nobody can read", f"{_COMMAND}::nothing_is_spent_on_what_nobody_can_read"),
        ("a full disk", "a temporary file left", "unveil/test_files::a_full_disk_leaves_nothing"),
        ("one release more than the budget has room for", "released", f"{_COMMAND}::the_ledger_refuses_to_overspend"),
        ("a line of the ledger changed or taken out", "there was no ledger", "unveil/test_ledger::an_altered_ledger_stops_every_release"),
        ("two owners at once", "there was no ledger", "unveil/test_ledger::two_processes_never_spend_the_same_budget"),
        ("the network, or another file, during a release", "open", f"{_COMMAND}::the_owner_opens_nothing_else"),
    ],
    "Seeds": [
        ("a release with a seed", "looked like any other", f"{_COMMAND}::a_seed_is_said_wherever_it_was_used"),
        ("an exact mechanism with a plain generator", "drew from it", "unveil/mechanisms/test_exact_mechanisms::a_seed_is_for_tests_only"),
        ("the discrete Gaussian with a plain generator", "drew from it", "unveil/mechanisms/test_discrete_gaussian::an_exact_release_takes_the_systems_randomness_and_has_the_noise_that_it_says"),
        ("`replace(trial, stage=\"release\").rng`", "the owner's noise", "replication/test_randomness::a_learner_cannot_make_the_owners_generator"),
    ],
    "The boundary": [
        ("36 ways to private data, of which 28 were tried before (a 37th, a file that was open before, gets through)", "18 of 28 got through", f"{_ENGINE}boundary::every_way_is_stopped"),
        ("a learner's arm that reads a private field", "planned", f"{_FLOW}trust_boundary::a_leak_planted_in_the_configuration_is_refused"),
        ("exact values beside noised ones in one released file", "ten figures", "replication/papers/test_released_files::no_file_mixes_exact_and_noised_values"),
    ],
    "Runs": [
        ("raw files dated in the future", "no advice", f"{_FAULTS}::file_times_lie_in_the_future"),
        ("a crash before any write or renaming", "not tried", "faults/test_crashes::a_crash_at_every_write"),
        ("a file that takes its place before its seal", "not noticed", f"{_ENGINE}storage::a_seal_takes_its_place_before_its_file_and_an_orphan_writes_neither"),
        ("two files swapped", "noticed", f"{_FAULTS}::two_files_are_swapped"),
        ("output folders outside of the project, or in one another", "written to", f"{_ENGINE}plan::folders_of_a_run"),
        ("a key that stands twice in a configuration", "the last one taken", f"{_ENGINE}plan::a_key_that_stands_twice"),
        ("a configuration that stands in itself, or whose aliases stand for millions of values", "a stack trace, or no end", "fuzz/test_configurations::a_hostile_file_is_refused_in_one_line"),
        ("a configuration nested a hundred thousand times", "the process ended without a word", "fuzz/test_configurations::a_hostile_file_is_refused_in_one_line"),
        ("keys and values that nobody expects, anywhere in the configuration", "messages of several lines, or of thousands of words", "fuzz/test_configurations::a_value_or_a_key_that_nobody_expects"),
        ("a project path with braces", "a stack trace", f"{_FLOW}failures::a_path_that_snakemake_cannot_read"),
        ("`trials: 10000000`", "planned for hours", f"{_ENGINE}plan::more_trials_than_anybody_has_time_for"),
        ("a checkout that cannot be written", "not run", "faults/test_machines::a_read_only_checkout_with_its_folders_elsewhere"),
        ("no network at all", "not tried", "faults/test_machines::wholly_without_network"),
        ("another user than root", "not tried", "faults/test_machines::another_user_than_root"),
        ("Python 3.12 and 3.13", "tried by hand", "faults/test_machines::the_wheel_on_another_python"),
    ],
    "Messages": [
        ("a caption that is missing", "a stack trace", f"{_ENGINE}plan::a_figure_without_one_of_its_files"),
        ("`--configfile` before a target", "a stack trace", f"{_ENGINE}progress::a_target_behind_the_option_for_configuration_files"),
        ("a figure that fails to draw after a good one", "the good one gone", f"{_FLOW}failures::a_picture_stays_until_the_new_one_is_whole"),
    ],
    "Files from elsewhere": [
        ("release files, arrays, tables and archives of trials, forged or cut off", "shapes that numpy cannot have, missing parameters and numbers of 400 digits ended in stack traces", "fuzz/test_corpus::a_hostile_file_is_refused_in_one_line"),
        ("a pickle in an array", "refused", "fuzz/test_forgeries::arrays_that_lie_or_hide_a_pickle"),
        ("a release with a right checksum and wrong content", "refused", "fuzz/test_forgeries::release_files_by_forgers"),
    ],
    "The tests themselves": [
        ("the mean operator's sensitivity as the largest entry", "no test failed", "faults/test_planted::a_planted_mistake_is_found"),
        ("a tiny bias in uniform numbers above a thousand", "no test failed", "unveil/mechanisms/test_exact_sampling::uniform_numbers_of_any_size_are_the_leading_bits_or_nothing"),
        ("half of the truncation's threshold", "no test failed", "unveil/estimators/moments/test_regression::the_threshold_is_twice_sigma_root_d"),
        ("an orphan's result that takes its place", "no test failed", f"{_ENGINE}storage::a_seal_takes_its_place_before_its_file_and_an_orphan_writes_neither"),
    ],
}  # fmt: skip


def named_tests() -> list[tuple[Path, str]]:
    """The file and the name of every test that is named."""
    named = [test.split("::") for attacks in ATTACKS.values() for _, _, test in attacks]
    return [(ROOT / "tests" / f"{file}.py", f"test_{name}") for file, name in named]


def table() -> str:
    """One table of all attacks."""
    lines = ["| attack | before | kept out by |", "| --- | --- | --- |"]
    for kind, attacks in ATTACKS.items():
        lines.append(f"| **{kind}** | | |")
        for attack, before, test in attacks:
            file, name = test.split("::")
            said = f"{name.replace('_', ' ')} (`tests/{file}.py`)"
            lines.append(f"| {attack} | {before} | {said} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page with the table as it should be."""
    return PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK + table()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
