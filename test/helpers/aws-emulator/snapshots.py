"""The whole account copied and put back, so that tests can share a deployment that takes seconds to make.

MiniStack's services keep their state in containers at module level; those are copied. Nothing may be under way meanwhile.
"""

import copy
import itertools
import re
import sys

import ministack.core.responses as responses
import sagemaker_store
import scaling

_snapshots = {}
_ids = itertools.count(1)
_SCOPED = (responses.AccountScopedDict, responses.AccountRegionScopedDict)


def _stores():
    """(key, container) of every store: scoped dicts, and plain containers with the name of a variable, `_sessions`."""
    modules = [(name, module) for name, module in list(sys.modules.items()) if name.startswith("ministack.services")]
    modules += [(module.__name__, module) for module in (sagemaker_store, scaling)]
    for module_name, module in modules:
        for name, value in list(vars(module).items()):
            if isinstance(value, _SCOPED):
                yield (module_name, name), value._data
            elif type(value) in (dict, list, set) and re.fullmatch("_[a-z][a-z_]*", name):
                yield (module_name, name), value


def take():
    memo = {}
    copies = {}
    for key, container in _stores():
        try:
            copies[key] = copy.deepcopy(container, memo)
        except TypeError:
            continue  # locks, threads, modules: no state of an account
    snapshot_id = next(_ids)
    _snapshots[snapshot_id] = copies
    return snapshot_id


def restore(snapshot_id):
    # Copied again: it may be wanted once more.
    copies = copy.deepcopy(_snapshots[snapshot_id])
    for key, container in _stores():
        if key not in copies:
            continue
        container.clear()
        container.extend(copies[key]) if isinstance(container, list) else container.update(copies[key])
