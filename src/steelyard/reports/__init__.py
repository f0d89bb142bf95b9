"""A report people open: one offline page, its Markdown and its JSON, all from the same sentences and numbers."""
