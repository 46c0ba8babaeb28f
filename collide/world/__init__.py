"""Simulation: rigid bodies that fly, hit each other and come to rest, event by event (Snyder 1993, Figure 2 and Section 1.1).

    RigidBody ─► flight ─► meeting ─► impact ─► (resting, rolling) ─► Run

- `mass`, `implicit_mass`, `heights`, `quadrature`, `exact_mass`, `rigid_body`: volume, centre and inertia of a shape; a body with its
  state at the start
- `clipping`, `polytope`, `turned`, `plain`: bodies combined of half-spaces, or of leaves round one axis, as solids, whose edges are known;
  others by the leaves that matter
- `rotation`, `series_loop`, `flight`, `forced`, `formulas`: the motion of a body between two events as a formula whose numbers are
  parameters
- `system`, `picard`, `windows`: differential equations of bodies under forces and in contact, how they are solved, and for how long at once
- `outline`, `actor`: what is simple in a shape (balls, flat faces); a body with its present motion
- `neighbours`, `far`, `departed`, `cover`, `slants`, `apart`: which pairs come near each other, until when balls round them are apart, or
  for ever, trees of balls and slabs round parts of surfaces, how their normals lie, and until when pairs do not meet by these, and where
  alone they may
- `hull`, `posed`, `planes`: bodies of flat faces: until when planes are between two of them, and that they meet then, without a search
- `walls`, `gaps`, `balls`: likewise of balls, beside each other and beside what is fixed, convex and flat, by polynomials in whole numbers
- `agenda`, `boxed`, `meeting`, `overlap`, `lookout`: what is to be done, in order; boxes of bodies; when a pair meets, with proof; which
  overlap at the start; when all meet
- `impact`, `sweeps`, `sustained`, `parting`, `touches`: impulses at contacts, and Coulomb's law at several; bodies that stay in contact in
  closed form; how fast what touches parts, and which of these it is
- `linked`, `hopping`, `staying`, `following`, `tracked`: bodies that rock, slip, push, or are carried: contacts that are followed by
  differential equations, and low hops beside these
- `certified`: runs whose events are theorems about the exact initial value problem
- `event`, `hitting`, `simulation`, `world`, `run`: how bodies touch in a hit; event after event; the public question, and its answer;
  `page` plays it in a browser
- `undoable`: tables that note what a step changes
"""
