"""What a test wants to go wrong. A fault is a dict with a `kind`; it strikes until it is removed, or `times` times.

kind       fields                                      effect
create     resourceType? logicalId? stack? reason      a stack's resource cannot be created
update     the same                                    ... updated
delete     the same                                    ... deleted
endpoint   name? reason afterMs? during? left?         an endpoint becomes Failed; `during` is "create" or "update",
                                                       `left` what a failed update leaves: InService (the old fleet) or Failed
runtime    reason                                      an AgentCore runtime becomes CREATE_FAILED
quota      quota value                                 a service quota has that value: "ml.g5.xlarge for endpoint usage"
call       action error? message?                      an API call is answered with an error; the action is IAM's,
                                                       "s3:PutObject", "sagemaker:*"
upload     afterBytes? afterRequests? error?           S3 takes no more object data after so much
build      outcome reason?                             failed | missing-label | oci-manifest | wrong-architecture
model      modelId? status                             access to a Bedrock model: not-authorized | no-agreement | not-in-region
"""

import itertools
import threading
from fnmatch import fnmatchcase

KINDS = ("create", "update", "delete", "endpoint", "runtime", "quota", "call", "upload", "build", "model")

_faults = {}
_ids = itertools.count(1)
# Resources are made on threads of their own.
_lock = threading.Lock()


def inject(fault):
    if fault.get("kind") not in KINDS:
        raise ValueError(f"no such kind of fault: {fault.get('kind')}; there are {', '.join(KINDS)}")
    with _lock:
        fault_id = next(_ids)
        _faults[fault_id] = dict(fault)
        return fault_id


def remove(fault_id):
    with _lock:
        _faults.pop(fault_id, None)


def reset():
    with _lock:
        _faults.clear()


def strike(kind, matches=lambda fault: True):
    """The first fault of this kind that matches, counted as one of its times; None when nothing goes wrong."""
    with _lock:
        for fault_id, fault in list(_faults.items()):
            if fault["kind"] != kind or not matches(fault):
                continue
            if "times" in fault:
                fault["times"] -= 1
                if fault["times"] <= 0:
                    _faults.pop(fault_id)
            return fault
    return None


def denies(action):
    """The fault that answers this IAM action with an error, or None."""
    return strike("call", lambda fault: fnmatchcase(action.lower(), fault["action"].lower()))


def strikes_resource(kind, resource_type, logical_id, stack_name):
    def matches(fault):
        return (fault.get("resourceType", resource_type) == resource_type
                and logical_id.startswith(fault.get("logicalId", logical_id))
                and fault.get("stack", stack_name) == stack_name)
    return strike(kind, matches)
