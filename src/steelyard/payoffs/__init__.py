"""What outcomes are worth: stated by people, read and checked here; nothing is counted."""
