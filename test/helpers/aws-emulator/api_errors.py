"""Refusals: raised deep in a service, answered by its API, or the reason why a stack's resource failed."""

import json
import uuid

from ministack.core.responses import error_response_json


class Refused(Exception):
    def __init__(self, code, message, status=400):
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    def answer(self):
        return error_response_json(self.code, self.message, self.status, content_type="application/x-amz-json-1.1")

    def as_resource_failure(self, service):
        """As a resource handler words it in a stack's event.

        https://github.com/aws-samples/sagemaker-custom-project-templates/issues/51 shows the part in brackets.
        """
        return ValueError(
            f'Resource handler returned message: "{self.message} (Service: {service}, Status Code: {self.status}, '
            f'Request ID: {uuid.uuid4()})" (RequestToken: {uuid.uuid4()}, HandlerErrorCode: {handler_code(self.code)})')


def handler_code(code):
    return {"ResourceLimitExceeded": "ServiceLimitExceeded", "AccessDeniedException": "AccessDenied",
            "ConflictException": "AlreadyExists"}.get(code, "InvalidRequest")


def not_stabilized(resource_type, identifier, reason):
    """A resource that was made and then went wrong: what its service says, and that the handler gave up."""
    return ValueError(
        f'Resource handler returned message: "Resource of type \'{resource_type}\' with identifier '
        f'\'{identifier}\' did not stabilize. {reason}" (RequestToken: {uuid.uuid4()}, '
        f'HandlerErrorCode: NotStabilized)')


def already_exists(resource_type, identifier):
    return ValueError(
        f'Resource handler returned message: "Resource of type \'{resource_type}\' with identifier '
        f'\'{identifier}\' already exists." (RequestToken: {uuid.uuid4()}, HandlerErrorCode: AlreadyExists)')


def refusals_answered(operations):
    """A MiniStack service handler of the JSON protocol: `operations` maps a name to a function of the request's data,
    which returns the answer's."""
    async def handle(method, path, headers, body, query_params):
        operation = headers.get("x-amz-target", "").rsplit(".", 1)[-1]
        run = operations.get(operation)
        if run is None:
            return error_response_json("UnknownOperationException", f"the emulator does not know {operation}", 400)
        try:
            answer = run(json.loads(body or b"{}"))
        except Refused as refused:
            return refused.answer()
        data = json.dumps(answer if answer is not None else {}).encode()
        return 200, {"Content-Type": "application/x-amz-json-1.1"}, data
    return handle
