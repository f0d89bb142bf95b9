"""Is it good enough: an evaluation and requirements in, met or not met out."""
