"""Adding a service to MiniStack: how its requests are recognized, who answers, how IAM names its actions."""

import ministack.app as app
from ministack.core import iam_actions, router


def add_service(name, target_prefix, handler, iam_namespace=None):
    router.SERVICE_PATTERNS[name] = {
        "target_prefixes": [target_prefix],
        "host_patterns": [],
        "credential_scope": name,
    }
    app.SERVICE_HANDLERS[name] = handler
    iam_actions.SERVICE_TO_IAM_NAMESPACE[name] = iam_namespace or name
