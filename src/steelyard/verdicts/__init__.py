"""What may be said: estimates in; a word, what it rests on and what to do next out. Every view, gate and alarm asks here."""
