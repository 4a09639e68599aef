"""AgentCore: the runtime's types in CloudFormation, and a runtime that answers."""

import json
import os
import time

import faults
import settings
from api_errors import Refused, already_exists, not_stabilized
from log_streams import write_log
from ministack.core import iam_actions
from ministack.core.responses import error_response_json
from ministack.services import bedrock_agentcore as core
from stack_operations import HalfMade, register

# Maps whose keys are the user's: their spelling stays.
_RAW = ("EnvironmentVariables", "Tags")


def install():
    register("AWS::BedrockAgentCore::Runtime",
             {"create": _create_runtime, "update": _update_runtime, "delete": _delete_runtime},
             ("AgentRuntimeName",))
    register("AWS::BedrockAgentCore::RuntimeEndpoint",
             {"create": _create_endpoint, "update": _update_endpoint, "delete": _delete_endpoint},
             ("AgentRuntimeId", "Name"))
    core._invoke_agent_runtime_in_owner = _answer
    # So that faults can name the control plane's actions.
    iam_actions._BOTOCORE_SERVICE_MAP["bedrock-agentcore"] = ["bedrock-agentcore-control"]


def _camel(value):
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: (inner if key in _RAW else _camel(inner)) for key, inner in value.items()}
    return [_camel(inner) for inner in value] if isinstance(value, list) else value


def _call(answer):
    status, _, body = answer
    data = json.loads(body)
    if status >= 300:
        code = data.get("__type", "ValidationException")
        raise Refused(code, data.get("message", str(data)), status).as_resource_failure("BedrockAgentCoreControl")
    return data


def _body(props):
    return json.dumps(_camel(props)).encode()


def _runtime_attributes(data):
    return data["agentRuntimeId"], {
        "AgentRuntimeArn": data["agentRuntimeArn"],
        "AgentRuntimeId": data["agentRuntimeId"],
        "AgentRuntimeVersion": data["agentRuntimeVersion"],
        "Status": "READY",
        "WorkloadIdentityDetails.WorkloadIdentityArn": data["workloadIdentityDetails"]["workloadIdentityArn"],
    }


def _create_runtime(logical_id, props, stack_name):
    if any(r["agentRuntimeName"] == props["AgentRuntimeName"] for r in core._runtimes.values()):
        raise already_exists("AWS::BedrockAgentCore::Runtime", props["AgentRuntimeName"])
    created = _call(core._create_agent_runtime(_body(props)))
    runtime = core._runtimes[created["agentRuntimeId"]]
    runtime["status"] = "CREATING"
    time.sleep(settings.delay("runtime"))
    fault = faults.strike("runtime")
    if fault:
        runtime.update(status="CREATE_FAILED", failureReason=fault["reason"])
        raise HalfMade(created["agentRuntimeId"], not_stabilized(
            "AWS::BedrockAgentCore::Runtime", created["agentRuntimeId"], fault["reason"]))
    runtime["status"] = "READY"
    write_log(f"/aws/bedrock-agentcore/runtimes/{created['agentRuntimeId']}-DEFAULT",
              f"{time.strftime('%Y/%m/%d')}/[runtime-logs]00000000-0000-0000-0000-000000000000",
              ['{"level":"info","message":"listening on 8080"}'])
    return _runtime_attributes(created)


def _update_runtime(physical_id, old, new, stack_name, logical_id=None):
    updated = _call(core._update_agent_runtime(physical_id, _body(new)))
    runtime = core._runtimes[physical_id]
    runtime["status"] = "UPDATING"
    time.sleep(settings.delay("runtime"))
    fault = faults.strike("runtime")
    if fault:
        runtime.update(status="UPDATE_FAILED", failureReason=fault["reason"])
        raise not_stabilized("AWS::BedrockAgentCore::Runtime", physical_id, fault["reason"])
    runtime["status"] = "READY"
    return _runtime_attributes(updated)


def _delete_runtime(physical_id, props):
    if physical_id in core._runtimes:
        core._runtimes[physical_id]["status"] = "DELETING"
        time.sleep(settings.delay("runtime"))
        core._delete_agent_runtime(physical_id)


def _create_endpoint(logical_id, props, stack_name):
    made = _call(core._create_agent_runtime_endpoint(props["AgentRuntimeId"], _body(props)))
    return made["agentRuntimeEndpointArn"], _endpoint_attributes(made, made["endpointName"])


def _endpoint_attributes(data, name):
    return {
        "AgentRuntimeEndpointArn": data["agentRuntimeEndpointArn"], "AgentRuntimeArn": data["agentRuntimeArn"],
        "Id": name, "Status": "READY", "LiveVersion": data["targetVersion"], "TargetVersion": data["targetVersion"],
    }


def _update_endpoint(physical_id, old, new, stack_name, logical_id=None):
    updated = _call(core._update_agent_runtime_endpoint(new["AgentRuntimeId"], new["Name"], _body(new)))
    return physical_id, _endpoint_attributes(updated, new["Name"])


def _delete_endpoint(physical_id, props):
    (core._endpoints.get(props["AgentRuntimeId"]) or {}).pop(props["Name"], None)


# lib/protocol defines the agent's events, so aws-emulator.ts gives them.
_EVENTS = json.loads(os.environ.get("EMULATOR_AGENT_ANSWER", "[]"))


def _answer(runtime, headers, body):
    """The agent's own event stream, docs/protocol.md link 3."""
    try:
        request = json.loads(body)
    except ValueError:
        return error_response_json("ValidationException", "the payload is no JSON", 400)
    asked = {"mode": request.get("mode", "bidi"), "voice": request.get("voice", "af_heart")}
    events = [{**event, **{key: asked[key] for key in asked if key in event}} for event in _EVENTS]
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    session = headers.get("x-amzn-bedrock-agentcore-runtime-session-id", "emulator")
    return 200, {"Content-Type": "text/event-stream", "x-amzn-bedrock-agentcore-runtime-session-id": session}, stream
