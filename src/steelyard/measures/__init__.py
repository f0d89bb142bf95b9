"""What it means: pure functions of a summary, filed by the question asked."""
