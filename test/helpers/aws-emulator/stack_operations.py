"""CloudFormation's engine made as slow, as fallible and as strict as AWS's.

Every resource is made on a thread of its own, so that it may take time while the server answers; faults strike here;
what was made before it failed is deleted by the rollback; and a stack that is busy cannot be deleted.
"""

import asyncio
import time

import faults
import settings
from ministack.services.cloudformation import _stacks, handlers, provisioners, stacks

# (stack name, logical id) -> the record of a resource that exists though its creation failed.
_half_made = {}
# stack id -> the running operation's end.
_running = {}
# stack id -> logical ids of what the running operation adopts.
_adopted = {}


class HalfMade(Exception):
    """Creation failed after the resource was there: it has a physical id and must be deleted by the rollback."""

    def __init__(self, physical_id, failure):
        super().__init__(str(failure))
        self.physical_id = physical_id


def install():
    stacks._runs_on_worker_thread = lambda resource_type: True
    stacks._provision_resource = _provision
    stacks._update_resource = _update
    stacks._delete_resource = _delete
    _wrap_rollback()
    _wrap_operations()
    stacks._validation_errors = _but_for_adopted(stacks._validation_errors)
    # An endpoint whose update failed is sent back, as its handler does on AWS.
    sends_back = stacks._sends_back_failed_update
    stacks._sends_back_failed_update = lambda resource_type: (
        resource_type == "AWS::SageMaker::Endpoint" or sends_back(resource_type))


def register(resource_type, handlers_of_type, replaced_by, tags=None):
    """`replaced_by`: the properties whose change needs a new resource; the CloudFormation registry's
    createOnlyProperties of the type, as cfn-lint 1.58.0 ships them."""
    provisioners._RESOURCE_HANDLERS[resource_type] = {"update_with_logical_id": True, **handlers_of_type}
    provisioners._REPLACING_PROPERTIES[resource_type] = replaced_by
    if tags:
        provisioners._STACK_TAG_PROPERTY[resource_type] = ("Tags", tags)


def refuse_replacement_under_same_name(resource_type, name_property):
    """"CloudFormation cannot update a stack when a custom-named resource requires replacing."""
    provisioners._CUSTOM_NAME_REPLACEMENT[resource_type] = {"name": name_property}


def reset():
    for memory in (_half_made, _running, _adopted):
        memory.clear()


def _fail_if_told(kind, resource_type, logical_id, stack_name):
    fault = faults.strikes_resource(kind, resource_type, logical_id or "", stack_name)
    if fault:
        raise ValueError(fault.get("reason", f"{resource_type} cannot be {kind}d: the test says so"))


def is_cancelled(stack_name):
    """DeleteStack came while the stack is being created: what is under way is given up."""
    return bool((_stacks.get(stack_name) or {}).get("_deleting"))


CANCELLED = "Resource creation cancelled"


def _provision(resource_type, logical_id, props, stack_name):
    time.sleep(settings.delay("resource"))
    if is_cancelled(stack_name):
        raise ValueError(CANCELLED)
    _fail_if_told("create", resource_type, logical_id, stack_name)
    try:
        return provisioners._provision_resource(resource_type, logical_id, props, stack_name)
    except HalfMade as failure:
        if provisioners._DEFERRED_PREDECESSOR_DELETES.get() is not None:
            # A replacement: the old one stays, and nothing else knows of the new one.
            provisioners._delete_resource(resource_type, failure.physical_id, props, stack_name, logical_id)
            raise
        record = {
            "PhysicalResourceId": failure.physical_id, "ResourceType": resource_type,
            "LogicalResourceId": logical_id, "Properties": props, "Attributes": {},
            "ResourceStatus": "CREATE_FAILED", "ResourceStatusReason": str(failure),
            "Timestamp": stacks.now_iso(),
        }
        _stacks[stack_name]["_resources"][logical_id] = record
        _half_made[(stack_name, logical_id)] = record
        raise


def _update(resource_type, physical_id, old_props, new_props, stack_name, logical_id=None, old_attrs=None):
    if old_props != new_props:
        time.sleep(settings.delay("resource"))
        _fail_if_told("update", resource_type, logical_id, stack_name)
    return provisioners._update_resource(
        resource_type, physical_id, old_props, new_props, stack_name, logical_id, old_attrs)


def _delete(resource_type, physical_id, props, stack_name=None, logical_id=None):
    time.sleep(settings.delay("resource"))
    _fail_if_told("delete", resource_type, logical_id, stack_name)
    return provisioners._delete_resource(resource_type, physical_id, props, stack_name, logical_id)


def _wrap_rollback():
    roll_back = stacks._roll_back_operation

    async def with_half_made(stack_name, stack_id, stack, operation, reason_override=""):
        failed = operation.get("failed_logical_id")
        record = _half_made.pop((stack_name, failed), None)
        if record is not None:
            stack["_resources"][failed] = record
            operation["created"].append(failed)
        if is_cancelled(stack_name):
            return  # no rollback: the deletion that follows takes it all
        await roll_back(stack_name, stack_id, stack, operation, reason_override)

    stacks._roll_back_operation = with_half_made


# DeleteStack is refused in these states: "Stack [ARN] cannot be deleted while in status UPDATE_IN_PROGRESS",
# https://github.com/aws/aws-cdk/issues/30099 and others. A creation can be cut short by it.
_BUSY = ("UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS",
         "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", "ROLLBACK_IN_PROGRESS")


def _wrap_operations():
    deploy, delete = stacks._deploy_stack_async, handlers._delete_stack

    async def deploy_and_tell(stack_name, stack_id, *args, **kwargs):
        ended = _running[stack_id] = asyncio.Event()
        _adopted[stack_id] = set(kwargs.get("imports") or {})
        try:
            await deploy(stack_name, stack_id, *args, **kwargs)
        finally:
            _running.pop(stack_id, None)
            _adopted.pop(stack_id, None)
            ended.set()

    async def delete_when_ended(params, stack_id):
        ended = _running.get(stack_id)
        if ended is not None:
            await ended.wait()
        delete(params)

    def delete_stack(params):
        stack = handlers._resolve_stack(handlers._p(params, "StackName"))
        if stack is not None and stack["StackStatus"] in _BUSY:
            return handlers._error(
                "ValidationError",
                f"Stack [{stack['StackId']}] cannot be deleted while in status {stack['StackStatus']}")
        if stack is not None and stack["StackStatus"] == "CREATE_IN_PROGRESS":
            stack["_deleting"] = True
            stacks._create_stack_task_in_region(delete_when_ended(params, stack["StackId"]), stack, stack["StackId"])
            return handlers._xml(200, "DeleteStackResponse", "")
        return delete(params)

    stacks._deploy_stack_async = deploy_and_tell
    # The modules that imported it by name.
    import ministack.services.cloudformation.changesets as changesets
    changesets._deploy_stack_async = handlers._deploy_stack_async = deploy_and_tell
    handlers._ACTION_HANDLERS["DeleteStack"] = delete_stack


def _but_for_adopted(validate):
    """A bucket that ImportExistingResources adopts is no conflict of names; MiniStack's validation says it is."""
    def run(resources_defs, ordered, param_values, conditions, mappings, stack_name, stack_id, *rest):
        errors = validate(resources_defs, ordered, param_values, conditions, mappings, stack_name, stack_id, *rest)
        return [error for error in errors
                if error[2] != "NAME_CONFLICT_VALIDATION" or error[0] not in _adopted.get(stack_id, ())]
    return run
