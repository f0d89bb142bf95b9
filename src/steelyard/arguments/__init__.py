"""What a call may be given: numbers, words and typed text are taken as meant, or refused in one sentence."""
