"""Where rows are counted: the only room that sees a row; each engine imports its library lazily."""
