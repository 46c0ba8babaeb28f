"""The catalogue: `models.shapes`, functions that make bodies, and `models.scenes`, collision problems with known answers."""
