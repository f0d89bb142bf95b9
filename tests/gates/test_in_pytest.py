"""The plugin of pytest: what a failed assertion tells, and the gate as a fixture and a mark."""

from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]
MADE = """
import pytest
import steelyard as sy

def made(n=200, sure=0.8):
    y = [0, 1] * (n // 2)
    return sy.evaluate(target=y, score=[0.2 + 0.6 * (t if i // 2 % 10 < sure * 10 else 1 - t) for i, t in enumerate(y)])
"""


@pytest.fixture
def suite(pytester):
    def run(body, *options):
        pytester.makepyfile(MADE + body)
        # Where steelyard was installed before it had the plugin, pytest is told of it; twice would be once too often.
        told = () if entry_points(group="pytest11", name="steelyard") else ("-p", "steelyard.gates.in_pytest")
        return pytester.runpytest_subprocess(*told, "-p", "no:xdist", "-p", "no:cacheprovider", *options)

    return run


def test_a_failed_comparison_tells_value_interval_and_rows(suite):
    found = suite("def test_auc():\n    e = made()\n    assert e['auc'] >= 0.95\n")
    found.assert_outcomes(failed=1)
    found.stdout.re_match_lines(
        [
            r"E +.*assert auc >= 0\.95 does not hold",
            r"E +auc is 0\.\d+ \[0\.\d+, 0\.\d+\], over 200 rows",
            r"E +95% interval by .+",
        ]
    )
    assert "Estimate(" not in found.stdout.str()


def test_an_undefined_number_tells_why(suite):
    body = """
@pytest.mark.filterwarnings("ignore::steelyard.errors.UndefinedCompared")
def test_recall():
    e = sy.evaluate(target=[0, 0, 0], prediction=[0, 1, 0], levels=[0, 1], positive=1)
    assert e["recall"] >= 0.5
"""
    found = suite(body)
    found.assert_outcomes(failed=1)
    found.stdout.re_match_lines([r"E +recall is undefined: .*real positives.*"])


def test_comparisons_of_others_are_left_alone(suite):
    found = suite("def test_it():\n    assert [1, 2] == [1, 3]\n")
    found.assert_outcomes(failed=1)
    assert "does not hold" not in found.stdout.str()


def test_the_gate_reads_like_a_report_and_ends_the_run(suite, pytester):
    body = """
@pytest.mark.gate("auc >= 0.6", on="interval")
def test_good(gate):
    assert gate(made(), "accuracy >= 0.6").met == 2

@pytest.mark.gate("auc >= 0.99")
def test_short(gate):
    gate(made())
"""
    found = suite(body, "--junit-xml=out.xml", "--strict-markers")
    found.assert_outcomes(passed=1, failed=1)
    text = found.stdout.str()
    assert "1 of 1 requirements is not met." in text
    assert "requirements of models" in text
    found.stdout.re_match_lines(
        [r"met +test_good: .*auc.*", r"met +test_good: .*accuracy.*", r"NOT MET +test_short: .*auc.*"]
    )
    assert "gates/requirement.py" not in text  # frames of the inside are hidden
    assert 'name="auc &gt;= 0.6"' in (pytester.path / "out.xml").read_text()


def test_a_champion_may_come_by_the_mark_or_the_call(suite):
    body = """
def test_it(gate):
    champion = made(sure=0.7)
    gate(made(sure=0.9), champion=champion, compare=["auc"])
    with pytest.raises(AssertionError, match="not met"):
        gate(champion, champion=made(sure=0.9), compare=["auc"])
"""
    suite(body).assert_outcomes(passed=1)


def test_loading_the_plugin_imports_nothing_heavy(pytester):
    code = "import sys, steelyard.gates.in_pytest; assert not {'numpy', 'scipy', 'duckdb'} & set(sys.modules)"
    assert pytester.runpython_c(code).ret == 0
