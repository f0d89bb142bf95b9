"""Does acting on it help: two arms in, checked and compared, an effect with its interval and a verdict in words out."""
