"""What may be asked of a row: the words of a request, the cells of scores, and which column plays which part."""
