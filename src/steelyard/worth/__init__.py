"""What it is worth, and where to cut: a summary and what outcomes are worth in, a decision in money out; never a row."""
