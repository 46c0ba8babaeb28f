"""Equations of motion with constraints, and the guards that end a motion in contact.

- `equations`: accelerations of bodies under forces and constraints; `picard`: their solution as a polynomial, `step_size`: its length
- `projection`: velocities and places with which a motion in contact begins
- `steady_contact`: rest, rolling and sliding on a fixed body in closed form
- `guards`, `landing`: the conditions that end a motion, behind one interface; `planes`: the corners beside the planes of contacts;
  `guard_set`: the first time at which a guard ends the motion
"""
