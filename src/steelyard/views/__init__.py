"""How it is told: rounds, words and draws; no arithmetic that changes a conclusion."""
