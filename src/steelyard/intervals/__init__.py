"""How far off it could be: calls a measure or reads a summary; never a row."""
