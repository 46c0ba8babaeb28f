"""The event queue and the loop of a run.

    event_queue ─► loop ─► response ─► transitions ─► next_contact ─► event_queue

- `state`: the run, with its bodies, pairs, queue and events; `pair`: the record of a pair, its states and transitions
- `event_queue`: what comes next, by time, with the keys of pairs and bodies; `loop`: the next event, and the step that answers it
- `response`: impulses of hits on all bodies that hang together
- `transitions`: pairs after a response part, bounce a little, or stay in contact; `thresholds`, `gap_rates`: the speeds that decide it
- `next_contact`: the questions to the providers of `narrow_phase`, with `closed_forms` and `parting`; `expiry`: boxes and their ends
- `contact_points`, `contact_sides`, `impact_points`: points of contact, the parts that touch there, and those of a hit
- `steady_motion`, `contact_motion`, `low_bounces`, `contact_mode`, `holding`: motions of bodies that stay in contact
"""
