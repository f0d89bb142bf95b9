"""What was saved: read back, checked before it is believed, and added one file at a time."""
