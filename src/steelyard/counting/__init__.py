"""From rows to summaries: which requests each kind of prediction needs, and how the answers are checked and laid out."""
