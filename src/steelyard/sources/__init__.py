"""Where rows come from: opens things; never computes."""
