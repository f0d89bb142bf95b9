"""Which test shows which fault of version 0.1.0, and what it does there.

    git worktree add ../old 2f8f125
    python docs/studies/edges_tests.py ../old/src

runs every test of tests/findings against that source, expects each to fail, and keeps what it said in `edges_tests.json`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH = 80

NUMBERS, VERDICTS, WATCHING = (f"tests/findings/test_{name}.py" for name in ("numbers", "verdicts", "watching"))
TESTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "A1": (
        "areas of few positives, and the gate",
        (
            (NUMBERS, "test_one_positive_leaves_its_area_open_and_gets_no_model_through"),
            (NUMBERS, "test_areas_of_few_positives_are_held"),
        ),
    ),
    "A2": ("crossings that were lost", ((VERDICTS, "test_curves_that_cross_are_said_to"),)),
    "A8": ("bands of a trial", ((VERDICTS, "test_no_events_in_a_small_control_prove_nothing"),)),
    "A9": ("units of unequal size", ((VERDICTS, "test_units_of_unequal_size_seldom_see_an_effect_that_is_none"),)),
    "A10": (
        "thresholds of a worthless model",
        ((NUMBERS, "test_what_the_best_threshold_of_a_worthless_score_brings_is_held"),),
    ),
    "A11": ("relative absolute error", ((NUMBERS, "test_a_relative_error_of_always_saying_the_mean_hardly_varies"),)),
    "A12": (
        "areas over folds",
        ((NUMBERS, "test_a_model_that_says_the_same_for_all_ranks_by_chance_or_not_at_all"),),
    ),
    "A13": ("areas on different rows", ((VERDICTS, "test_areas_on_different_rows_are_compared_as_on_the_same"),)),
    "A14": (
        "ropes and ties",
        (
            (VERDICTS, "test_the_edge_of_the_rope_does_not_hang_on_the_last_bit"),
            (VERDICTS, "test_the_last_bit_ranks_nobody"),
        ),
    ),
    "A15": (
        "several models at once",
        (
            (VERDICTS, "test_a_word_agrees_with_the_interval_beside_it_and_with_the_pair_asked_for"),
            (VERDICTS, "test_models_worse_by_the_margin_are_hardly_ever_called_equivalent"),
        ),
    ),
    "A16": ("too few of what a measure rests on", ((VERDICTS, "test_too_few_counts_what_the_measure_rests_on"),)),
    "A17": ("Q compared", ((VERDICTS, "test_a_model_that_never_warns_is_not_called_better"),)),
    "A18": (
        "one number, one interval",
        (
            (NUMBERS, "test_the_ks_has_one_interval_wherever_it_is_told"),
            (NUMBERS, "test_a_mixture_is_what_its_parts_make_of_it"),
        ),
    ),
    "B1": ("labels missing by score", ((NUMBERS, "test_labels_that_are_missing_by_score_are_said_to_be"),)),
    "B2": ("class scores that do not sum to one", ((NUMBERS, "test_class_scores_that_do_not_add_up_to_one_are_said"),)),
    "B3": ("scores in percent", ((NUMBERS, "test_percent_at_the_default_threshold_is_said"),)),
    "B4": ("heavy tails and weights", ((NUMBERS, "test_few_rows_that_carry_a_number_are_named_beside_it"),)),
    "B5": ("accuracy and the commonest level", ((NUMBERS, "test_accuracy_stands_beside_the_commonest_level"),)),
    "B6": (
        "areas below one half",
        ((NUMBERS, "test_an_area_below_one_half_says_that_the_score_may_point_the_other_way"),),
    ),
    "B7": ("medians by unit", ((NUMBERS, "test_a_median_of_errors_has_an_interval_by_unit"),)),
    "B8": ("averages over classes", ((NUMBERS, "test_an_average_over_classes_is_not_far_wider_than_needed"),)),
    "B12": ("a plan that nobody stated", ((VERDICTS, "test_a_plan_that_nobody_stated_blocks_nothing"),)),
    "D5": ("windows that differ", ((WATCHING, "test_weeks_that_wobble_keep_to_the_budget"),)),
    "D6": ("windows that are too short", ((WATCHING, "test_too_short_windows_say_which_length_would_do"),)),
    "D7": ("always-valid results", ((WATCHING, "test_results_at_any_look_say_what_they_take_for_granted"),)),
    "F2": ("one unit only", ((VERDICTS, "test_one_unit_has_no_spread_between_units"),)),
    "F6": ("failed folds", ((VERDICTS, "test_a_failed_fold_is_shared_with_nobody"),)),
    "G1": (
        "labels that wait for the outcome",
        (
            (WATCHING, "test_no_window_is_judged_before_its_positives_are_in"),
            (WATCHING, "test_a_day_without_any_label_has_its_expected_performance"),
        ),
    ),
    "G2": (
        "plans of unequal arms",
        ((VERDICTS, "test_a_plan_of_unequal_arms_has_the_power_of_the_test_that_decides"),),
    ),
    "G3": ("plans of weeks", ((VERDICTS, "test_a_plan_of_weeks_has_the_power_of_the_default_trial"),)),
    "G4": (
        "few data sets",
        (
            (VERDICTS, "test_three_data_sets_are_counted"),
            (VERDICTS, "test_five_data_sets_hardly_say_who_is_higher"),
        ),
    ),
    "G5": ("regions", ((VERDICTS, "test_a_region_is_not_clear_because_its_winner_happened_to_win_there"),)),
    "G6": ("rare positives that are expected", ((NUMBERS, "test_no_more_rare_positives_are_expected_than_came"),)),
    "G7": ("bands of curves", ((NUMBERS, "test_bands_of_curves_hold_where_they_are_read"),)),
    "G8": ("the band of the cost curve", ((NUMBERS, "test_the_band_of_a_cost_curve_holds_the_least_true_cost"),)),
    "G9": ("the gain from more rows", ((NUMBERS, "test_a_curve_that_reaches_its_end_is_not_told_to_go_on"),)),
    "G10": (
        "months, and small losses",
        (
            (WATCHING, "test_months_that_repeat_keep_to_the_budget"),
            (WATCHING, "test_a_small_loss_that_lasts_can_be_summed"),
        ),
    ),
    "G11": (
        "what was slightly short",
        (
            (NUMBERS, "test_a_calibration_error_of_noise_says_what_an_honest_model_would_read"),
            (NUMBERS, "test_models_that_know_their_rows_by_heart_are_told_out_of_bag"),
        ),
    ),
}
"""For each finding what it is about, and the tests that show it."""


def outcomes(source: str) -> dict[str, list[str]]:
    """What each test said against this source, one line for each of its cases; an empty line where it passed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seen.xml"
        call = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", f"--junitxml={path}"]
        subprocess.run([*call, "tests/findings"], cwd=ROOT, env=os.environ | {"PYTHONPATH": source}, check=False)
        cases = ElementTree.parse(path).iter("testcase")
        out: dict[str, list[str]] = {}
        for case in cases:
            fault = case.find("failure") if case.find("failure") is not None else case.find("error")
            said = "" if fault is None else (fault.get("message") or "failed").splitlines()[0]
            out.setdefault(str(case.get("name")).split("[")[0], []).append(said)
    return out


def kept() -> dict[str, Any]:
    """What was kept of the last run."""
    path = HERE / "edges_tests.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _short(said: str) -> str:
    """The first line of a failure, its numbers to three places."""
    plain = re.sub(r"np\.float64\(([^)]*)\)", r"\1", said.removeprefix("AssertionError: "))
    plain = re.sub(r"(?<=\d\.)(\d{3})\d{4,}", r"\1", plain).replace("|", "/").replace("`", "'")
    return plain if len(plain) <= WIDTH else plain[:WIDTH].rsplit(" ", 1)[0] + " …"


def table() -> list[str]:
    """Findings, their tests, and how many cases of each failed on version 0.1.0, as lines of the page."""
    seen = kept()
    out = [
        "## The tests",
        "",
        "Each fault has a test that fails on version 0.1.0 and passes now. Seen against its source by",
        "[`edges_tests.py`](edges_tests.py):",
        "",
        "| finding | about | test | on version 0.1.0 |",
        "|---|---|---|---|",
    ]
    for finding, (about, tests) in TESTS.items():
        for file, name in tests:
            said = seen.get(name, [])
            failed = [s for s in said if s]
            did = f"{len(failed)} of {len(said)} cases failed" if len(said) > 1 else "failed" if failed else "passed"
            told = _short(failed[0]) if failed else ""
            link = f"[{name.removeprefix('test_').replace('_', ' ')}](../../{file})"
            out.append(
                f"| {finding} | {about} | {link} | {did if said else 'not run'}{f': `{told}`' if told else ''} |"
            )
    return [*out, ""]


if __name__ == "__main__":
    found = outcomes(str(Path(sys.argv[1]).resolve()))
    (HERE / "edges_tests.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name in (n for _, tests in TESTS.values() for _, n in tests):
        print("FAILED" if all(found.get(name, [""])) else "passed", name)
