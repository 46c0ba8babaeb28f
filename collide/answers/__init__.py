"""Values that queries return.

`contacts` and `batch` are the results, `report` makes them of what a search found, `local_minimum` tells which contacts come to touch;
`table` shows them in notebooks.
"""
