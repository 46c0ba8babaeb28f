"""Simulation: rigid bodies that fly, hit each other and come to rest, event by event (Snyder 1993, Figure 2 and Section 1.1).

    RigidBody ─► motion ─► broad_phase ─► narrow_phase ─► contact_solver ─► dynamics ─► simulation ─► Run

Rooms, in the order in which they build on each other:

- `solids`: implicit bodies as solids with known faces and edges
- `mass`: moments of shapes: volume, centre and inertia
- `shapes`: facts of a shape at rest: flat faces, spheres, bounding trees, normals
- `motion`: trajectories, and bodies that have one
- `features`: vertices, edges and faces as parts that touch: points, tangents, curvature
- `contact`: contact manifolds, and the constraints that keep contacts
- `contact_solver`: impulses and forces under Coulomb's law
- `dynamics`: equations of motion with constraints, and the guards that end a motion in contact
- `broad_phase`: pairs of bodies that come near each other, and until when
- `narrow_phase`: times of impact of pairs: closed forms, planes, trees, search
- `simulation`: the event queue and the loop of a run
- `certified`: runs whose events are theorems about the exact initial value problem

Above the rooms stand `rigid_body` (a body with its state at the start), `world` (the public question), `run` (its answer), `saved` (runs in
files) and `page` (a run played in a browser); `event` and `journal` (tables that note what a step changes) lie below them.
"""
