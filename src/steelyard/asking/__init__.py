"""How a number is asked for: which summary answers a measure, and the finished estimate with its interval."""
