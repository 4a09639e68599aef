"""What the caller may do: a policy that a test sets, judged by IAM's rules.

Only the credentials themselves are judged. A role that they assume, as CDK's bootstrap roles are, has rights of its own,
which are CDK's concern.
"""

import json
import re
from urllib.parse import unquote

from ministack.core.iam_actions import extract_resource_arn, s3_service_context
from ministack.core.iam_evaluator import EvalContext, evaluate, parse_policy_document, validate_policy_document
from ministack.core.responses import get_account_id, get_region
from ministack.core.router import extract_access_key_id
from ministack.services import sts

_policy = []
# {"action", "resource"} of each refusal, for a test that wants to know what is missing.
refused = []

# "No permissions are required to perform this operation", STS's API reference says.
_FREE = ("sts:GetCallerIdentity",)


def reset():
    _policy.clear()
    refused.clear()


def allow_only(document):
    """None lifts it."""
    _policy.clear()
    if document is not None:
        problem = validate_policy_document(document)
        if problem:
            raise ValueError(problem)
        _policy.append(parse_policy_document(document))


def refuses(service, action, method, path, headers, body, params):
    if not _policy or action in _FREE or extract_access_key_id(headers, params) in sts._sessions:
        return False
    resource = _own_resource(service, path, body) or extract_resource_arn(
        service, method, path, headers, body, params, get_region(), get_account_id())
    context = s3_service_context(action, params, path, headers) if service == "s3" else {}
    account = get_account_id()
    request = EvalContext(f"arn:aws:iam::{account}:user/emulated", "User", account, action, resource, get_region(),
                          secure_transport=True, service_context=context)
    if evaluate(request, _policy).decision == "Allow":
        return False
    refused.append({"action": action, "resource": resource})
    return True


def _own_resource(service, path, body):
    """Resources of the services that MiniStack does not know, as the Service Authorization Reference defines them."""
    def arn(resource):
        return f"arn:aws:{service}:{get_region()}:{get_account_id()}:{resource}"

    data = json.loads(body) if body[:1] == b"{" else {}
    if service == "sagemaker":
        for key, kind in (("EndpointName", "endpoint"), ("EndpointConfigName", "endpoint-config"),
                          ("ModelName", "model")):
            if key in data:
                return arn(f"{kind}/{data[key].lower()}")
        return data.get("ResourceArn") or "*"
    if service in ("ecr", "logs") and data.get("resourceArn"):
        return data["resourceArn"]
    if service == "ecr" and data.get("repositoryNames"):
        return arn(f"repository/{data['repositoryNames'][0]}")
    if service == "application-autoscaling" and "ResourceId" in data:
        # Its ids are made up by AWS; that the call is bound to a target at all is what counts.
        return arn("scalable-target/0e1234")
    if service == "codebuild" and data.get("ids"):
        return arn(f"project/{data['ids'][0].split(':')[0]}")
    if service == "codebuild" and "id" in data:
        return arn(f"project/{data['id'].split(':')[0]}")
    if service == "bedrock-agentcore":
        runtime = re.match(r"/runtimes/([^/]+)(?:/runtime-endpoints/([^/]+))?/?$", unquote(path))
        if runtime:
            name = f"runtime/{runtime[1]}"
            return arn(f"{name}/runtime-endpoint/{runtime[2]}" if runtime[2] else name)
    return None
