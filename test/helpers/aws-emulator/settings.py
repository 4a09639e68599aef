"""How long things take, in seconds. AWS needs minutes; a test needs to see that they take any time at all."""

import json
import os

DEFAULTS = {
    # Any resource of a stack.
    "resource": 0.02,
    "endpoint_create": 0.4,
    "endpoint_update": 0.4,
    "endpoint_delete": 0.2,
    "runtime": 0.2,
    # One phase of a build; it has nine.
    "build_phase": 0.05,
}

_chosen = json.loads(os.environ.get("EMULATOR_DELAYS", "{}"))
_now = {**DEFAULTS, **_chosen}


def delay(name):
    return _now[name]


def change(delays):
    unknown = sorted(set(delays) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"no such delay: {', '.join(unknown)}; there are {', '.join(DEFAULTS)}")
    _now.update(delays)


def reset():
    _now.clear()
    _now.update({**DEFAULTS, **_chosen})
