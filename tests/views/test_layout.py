"""Tables and paragraphs keep to their width."""

from hypothesis import given
from hypothesis import strategies as st

from steelyard.views.layout import fit, pad, table, table_width, width_of, wrap

text = st.text(max_size=60)


@given(text, st.integers(2, 40))
def test_a_name_is_cut_to_fit(name, most):
    assert width_of(fit(name, most)) <= most
    assert "\n" not in fit(name, most)


@given(st.lists(text, max_size=30), st.integers(24, 80))
def test_a_paragraph_keeps_to_its_width(words, width):
    for line in wrap(" ".join(w.replace("\n", " ") for w in words), width, "* ", "  "):
        assert width_of(line) <= width


def test_wide_letters_count_twice():
    assert width_of("日本") == 4
    assert pad("日本", 6) == "日本  "
    assert fit("日本語日本語", 7) == "日本語…"


def test_columns_line_up():
    lines = table(("name", "rows"), [("日本", "1"), ("long name", "1,000")], "lr")
    assert {width_of(line) for line in lines} == {
        table_width(("name", "rows"), [("日本", "1"), ("long name", "1,000")])
    }


def test_the_last_column_wraps():
    lines = table(("a", "meaning"), [("x", "one two three four five six")], "ll", wrapped=True, width=20)
    assert all(width_of(line) <= 20 for line in lines)
    assert " ".join(" ".join(lines[1:]).split()) == "x one two three four five six"
