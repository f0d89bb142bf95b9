"""What was counted: adds with +, has a zero, saves as JSON; no rows, no opinions."""
