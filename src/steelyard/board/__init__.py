"""Pages of a service, for those who are woken by an alarm and those who ask on Monday: verdict first, everywhere."""
