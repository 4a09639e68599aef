"""The tests' hand on the emulator: GET/POST /_emulator/..., and the place where API calls are refused."""

import json
import uuid

import faults
import ministack.app as app
import permissions
import sagemaker_store
import scaling
import settings
import snapshots
import stack_operations
from ministack.core.iam_actions import access_denied_response, extract_iam_action
from ministack.core.responses import get_account_id
from ministack.core.router import detect_service
from ministack.services import ecr, s3, bedrock_agentcore
from storage import broken_upload

# "service:Action" in the order they came.
_calls = []


def install():
    app._dispatch_service_request = _with_faults(app._dispatch_service_request)
    app._handle_post_body_shortcuts = _with_control(app._handle_post_body_shortcuts)
    reset_all = app._reset_all_state

    def reset():
        reset_all()
        sagemaker_store.reset()
        scaling.reset()
        _forget()

    app._reset_all_state = reset


def _forget():
    """What a test has set, and what was noted since."""
    for part in (faults, settings, permissions, stack_operations):
        part.reset()
    _calls.clear()


def _with_faults(dispatch):
    async def run(method, path, headers, body, query_params, request_id):
        params = app._routing_params(method, path, headers, body, query_params)
        service = detect_service(method, path, headers, params)
        action = extract_iam_action(service, method, path, headers, body, params) or f"{service}:{method} {path}"
        _calls.append(action)
        fault = faults.denies(action) or broken_upload(action, body)
        if fault is None and permissions.refuses(service, action, method, path, headers, body, params):
            fault = {"error": "AccessDenied"}
        if fault:
            return _refusal(fault, service, action, request_id, headers)
        return await dispatch(method, path, headers, body, query_params, request_id)
    return run


def _refusal(fault, service, action, request_id, headers):
    """In the form of the service's protocol: AccessDenied unless said otherwise."""
    error = fault.get("error", "AccessDenied")
    principal = f"arn:aws:iam::{get_account_id()}:user/emulator"
    code = {"AccessDenied": "", "ExpiredToken": "ExpiredTokenException"}.get(error, error)
    message = fault.get("message", "")
    if code == "ExpiredTokenException" and not message:
        message = "The security token included in the request is expired"
    status, reply, body = access_denied_response(
        service, action, principal, request_id, error_code=code, message=message, headers=headers)
    if error not in ("AccessDenied", "ExpiredToken"):
        status = int(fault.get("status", 400))
    return status, {**reply, "x-amzn-requestid": request_id, "x-amz-request-id": request_id}, body


def _with_control(shortcuts):
    async def run(method, path, headers, body, query_params, request_id):
        if not path.startswith("/_emulator/"):
            return await shortcuts(method, path, headers, body, query_params, request_id)
        try:
            answer = _control(method, path.removeprefix("/_emulator/"), json.loads(body or b"{}"))
        except (KeyError, ValueError) as error:
            return 400, {"Content-Type": "application/json"}, json.dumps({"message": str(error)}).encode()
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()
    return run


def _control(method, path, data):
    if (method, path) == ("POST", "faults"):
        return {"id": faults.inject(data)}
    if method == "DELETE" and path.startswith("faults/"):
        faults.remove(int(path.split("/")[1]))
        return {}
    if (method, path) == ("POST", "delays"):
        settings.change(data)
        return {}
    if (method, path) == ("POST", "snapshots"):
        return {"id": snapshots.take()}
    if method == "POST" and path.startswith("snapshots/"):
        _forget()
        snapshots.restore(int(path.split("/")[1]))
        return {}
    if (method, path) == ("POST", "policy"):
        permissions.allow_only(data["policy"])
        return {}
    if (method, path) == ("GET", "state"):
        return _state()
    raise ValueError(f"no such control: {method} /_emulator/{path}")


def _state():
    """All accounts and regions together: a test has one."""
    for (account, region, name), endpoint in list(sagemaker_store.endpoints._data.items()):
        from ministack.core.responses import request_scope
        with request_scope(account, region):
            sagemaker_store.settle(name, endpoint)
    return {
        "endpoints": {k[2]: v["status"] for k, v in sagemaker_store.endpoints._data.items()},
        "endpointConfigs": sorted(k[2] for k in sagemaker_store.configs._data),
        "models": sorted(k[2] for k in sagemaker_store.models._data),
        "scalableTargets": sorted(k[2][1] for k in scaling.targets._data),
        "runtimes": {r["agentRuntimeName"]: r["status"] for r in bedrock_agentcore._runtimes._data.values()},
        "repositories": {k[-1]: sorted(t for i in v for t in i["imageTags"]) for k, v in ecr._images._data.items()},
        "buckets": {k[-1]: len(v["objects"]) for k, v in s3._buckets._data.items()},
        "calls": list(_calls),
        "refused": list(permissions.refused),
    }
