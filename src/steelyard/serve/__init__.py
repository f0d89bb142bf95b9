"""Predictions and labels in, windows, alarms and answers out: rows wait for their label, are counted, and go."""
