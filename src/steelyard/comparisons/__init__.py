"""Which is better: two or more summaries in, a Difference out."""
