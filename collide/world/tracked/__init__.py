"""Contacts that are kept while bodies move, of corners, edges, flat faces, balls and smooth surfaces: what moves in contact is followed
by differential equations, whose accelerations obey the contacts (Snyder 1993, Section 1.1, mode 2, and Equation 7).

- `smooth`, `curved`: places of smooth surfaces with tangents and curvature; a contact that is tracked on two of them
- `polyhedral`, `contact`, `manifold`: the corners and edges of a shape; a contact as a function of the state; where two bodies touch
- `forces`, `grip`: forces and accelerations at contacts of which each sticks or slips; which of these they do
- `ends`: how far such a motion goes, and why it ends
"""
