"""Times of impact of pairs: closed forms, planes, trees, search."""
