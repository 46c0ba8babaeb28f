"""Contacts that are kept while bodies move, of corners, edges, faces and balls, flat and curved: what moves in contact is followed by
differential equations, whose accelerations obey the contacts (Snyder 1993, Section 1.1, mode 2, and Equation 7).

- `jets`, `parts`, `smooth`, `features`, `rings`: parts with tangents and curvature; points, edges and flat faces; curved ones; those that a
  shape has; circles on curved faces that a plane touches all along
- `creases`, `tracing`: faces, edges and corners of combined implicit bodies; how these are found
- `hollows`: which edges of curved solids that are not convex are hollow, and how thick these are
- `meeting`, `wedge`, `curved`, `nearing`, `pairs`: the conditions of a contact of two of these, directions between normals of faces that
  meet in one, such a contact, which is tracked on both; which parts of two bodies are near each other; all contacts of these
- `polyhedral`, `contact`, `plane`, `flush`, `manifold`: the corners and edges of a flat shape; a contact as a function of the state; where
  two bodies touch in one plane, and along curved edges that lie in it; where they touch
- `forces`, `grip`: forces and accelerations at contacts of which each sticks or slips; which of these they do
- `settling`, `ends`: with which state such a motion begins; how far it goes, and why it ends
"""
