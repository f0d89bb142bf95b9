"""Files and their addresses: written whole or not at all, sealed, and told without their secrets."""
