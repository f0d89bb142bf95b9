"""The cell of the score grid in plain SQL, for databases that cannot see the bits of a number."""

from __future__ import annotations

from collections.abc import Callable

from steelyard.rows import grid


def cell_text(
    x: str,
    m: int,
    otherwise: int,
    literal: Callable[[float], str],
    octave: Callable[[str], str],
    scaled: Callable[[str], str],
) -> str:
    """As `grid.encode` has it, from the octave of a number and its product with a power of two, which is exact.

    The octave may be one off next to a power of two, where a logarithm rounds: both octaves give the same cell there.
    """
    a, top, steps = grid.arm(m), ((grid.LARGEST - grid.SMALLEST) << m) + 1, 1 << m
    least, shift = 2.0**grid.SMALLEST, (-grid.SMALLEST - 1) * steps

    def closed(y: str) -> str:
        return f"floor({scaled(y)}) + {octave(y)} * {steps} + {1 + shift}"

    def opened(y: str) -> str:
        return f"ceil({scaled(y)}) + {octave(y)} * {steps} + {shift}"

    upper = f"({literal(1.0)} - {x})"
    cases = (
        (f"{x} >= {literal(least)} and {x} < {literal(0.5)}", f"{closed(x)} + 1"),
        (f"{x} >= {literal(0.5)} and {x} <= {literal(1 - least)}", f"{2 * a} - ({opened(upper)})"),
        # NaN lies above infinity in every database.
        (f"{x} is null or {x} >= {literal(float('inf'))} or {x} <= {literal(-float('inf'))}", f"{otherwise}"),
        (f"{x} >= {literal(2.0**grid.LARGEST)}", f"{2 * a + 1 + (grid.LARGEST << m)}"),
        (f"{x} >= {literal(1.0)}", f"{closed(x)} + {2 * a - ((-grid.SMALLEST) << m)}"),
        (f"{x} >= {literal(0.5)}", f"{2 * a}"),
        (f"{x} > {literal(0.0)}", "1"),
        (f"{x} = {literal(0.0)}", "0"),
        (f"{x} < {literal(-(2.0**grid.LARGEST))}", f"{-1 - top}"),
        (f"{x} < {literal(-least)}", f"-1 - ({opened(f'(- {x})')})"),
    )
    return (
        f"cast(case {' '.join(f'when {condition} then {found}' for condition, found in cases)} else -1 end as bigint)"
    )


def octave_text(y: str, literal: Callable[[float], str]) -> str:
    """The octave of a number that is not negative, by comparisons: the largest one first, for that of most probabilities.

    Below and above the octaves of the grid it is that of the nearest.
    """
    usual = range(-2, -9, -1)

    def within(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high + 1) // 2
        above, below = within(middle, high), within(low, middle - 1)
        return f"case when {y} >= {literal(2.0**middle)} then {above} else {below} end"

    near = " ".join(f"when {y} >= {literal(2.0**o)} then {o}" for o in usual)
    return f"case when {y} >= {literal(0.5)} then {within(-1, grid.LARGEST - 1)} {near} else {within(grid.SMALLEST, -9)} end"
