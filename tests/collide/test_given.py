"""Keywords under their former names: `separation=` for `spacing=`, until 0.1.0."""

import inspect

import pytest

import collide
from collide.queries.trace import trace
from generative import Parameter, ParametricSurface, Rigid, t, u, v

H = Parameter("h")
SQUARE = {u: (-1, 1), v: (-1, 1)}
PLATE = ParametricSurface([u, v, 0], SQUARE)
FALLING = ParametricSurface([u, v, u**2 + v**2 + 1], SQUARE).moved(Rigid(translation=[0, 0, -t]))
LIFTED = ParametricSurface([u, v, u**2 + v**2 + 2 - H], SQUARE)
ROLLING = ParametricSurface([u, v, t * u**2], SQUARE)
CALLS = {
    "first_contact": lambda **o: collide.first_contact([PLATE, FALLING], (0, 2), **o),
    "self_contact": lambda **o: collide.self_contact(ROLLING, (0, 1), **o),
    "distance": lambda **o: collide.distance(PLATE, FALLING, 0.0, **o),
    "clearance": lambda **o: collide.clearance([PLATE, FALLING], (0, 0.5), **o),
    "critical_value": lambda **o: collide.critical_value([PLATE, LIFTED], (0, 1), {H: (1, 3)}, **o),
    "trace": lambda **o: trace([PLATE, FALLING], (0, 2), **o).answer,
}


def test_all_that_take_a_spacing_are_here():
    taking = {name for name, f in vars(collide).items() if inspect.isfunction(f) and "spacing" in inspect.signature(f).parameters}
    assert taking == CALLS.keys() - {"trace"}


@pytest.mark.parametrize("name", CALLS)
def test_the_former_name_warns_at_the_caller_and_means_the_same(name):
    with pytest.warns(DeprecationWarning, match=f"separation= of {name} is called spacing=") as caught:
        former = CALLS[name](separation=0.3)
    assert [w.filename for w in caught] == [__file__]
    assert former.status is CALLS[name](spacing=0.3).status


@pytest.mark.parametrize("name", CALLS)
def test_the_former_name_is_handed_on(name):
    with pytest.warns(DeprecationWarning), pytest.raises(ValueError, match="spacing must be a positive number, got -1"):
        CALLS[name](separation=-1)


@pytest.mark.parametrize("name", CALLS)
def test_both_names_at_once_are_refused(name):
    with pytest.raises(TypeError, match=f"{name} got spacing and separation, its former name; give spacing alone"):
        CALLS[name](spacing=0.1, separation=0.1)


def test_no_other_function_takes_the_former_name():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        collide.contacts_during([PLATE, FALLING], (0, 2), separation=0.1)
