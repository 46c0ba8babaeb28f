"""Bodies at one moment: apart, crossing, one inside the other.

`start` tells the state of a pair, `pairs` holds those of all; `separators` proves surfaces apart, `inside` and `pieces_inside` whether one
body encloses the other.
"""
