"""Simulation: rigid bodies that fly, hit each other and come to rest, event by event (Snyder 1993, Figure 2 and Section 1.1).

    RigidBody ─► flight ─► meeting ─► impact ─► (resting, rolling) ─► Run

- `mass`, `rigid_body`: volume, centre and inertia of a shape; a body with its state at the start
- `rotation`, `flight`, `formulas`: the motion of a body between two events as a formula whose numbers are parameters
- `neighbours`, `meeting`: which pairs come near each other, and when such a pair meets, with proof
- `impact`, `sustained`: impulses at contacts; bodies that stay in contact
- `simulation`, `world`, `run`: the queue of events; the public question, and its answer; `page` plays it in a browser
"""
