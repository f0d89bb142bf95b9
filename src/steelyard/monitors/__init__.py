"""What changed: windows, signals, alarms."""
