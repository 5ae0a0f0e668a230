"""Changes of single numbers in plain data."""

from copy import deepcopy


def whole_numbers(data, path=()):
    """Yield the path to each whole number, true and false among them."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from whole_numbers(value, (*path, key))
    elif isinstance(data, int):
        yield path


def changed(data, path, change):
    """Return a copy in which the value at a path is changed by a function."""
    copy = deepcopy(data)
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return copy


def by(step):
    """Return a change of a number by a step; what is true becomes false."""
    return lambda value: not value if isinstance(value, bool) else value + step
