"""SageMaker's models, endpoint configurations and endpoints, and what may be done to them when.

Time passes by looking: a change has an end, and `settle` carries it out when somebody looks after it. So nothing runs
in the background, and a reset forgets everything.
"""

import time

import faults
import settings
from api_errors import Refused
from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

models = AccountRegionScopedDict()
configs = AccountRegionScopedDict()
endpoints = AccountRegionScopedDict()
# Set by scaling.py: told of an endpoint that goes.
deregister_targets = []


def reset():
    for store in (models, configs, endpoints):
        store.clear()


def arn(kind, name):
    # SageMaker's ARNs are in lower case, whatever the name.
    return f"arn:aws:sagemaker:{get_region()}:{get_account_id()}:{kind}/{name.lower()}"


def not_found(kind, name):
    words = {"endpoint": "endpoint", "endpoint-config": "endpoint configuration", "model": "model"}[kind]
    return Refused("ValidationException", f'Could not find {words} "{arn(kind, name)}".')


def exists(kind, name):
    # https://github.com/awslabs/spot-tagging-bot-for-digital-assets/issues/2
    words = {"endpoint": "endpoint", "endpoint-config": "endpoint configuration", "model": "model"}[kind]
    return Refused("ValidationException", f'Cannot create already existing {words} "{arn(kind, name)}".')


def require(store, kind, name):
    found = store.get(name)
    if found is None:
        raise not_found(kind, name)
    return found


def require_endpoint(name):
    endpoint = endpoints.get(name)
    if endpoint is not None:
        settle(name, endpoint)
    return require(endpoints, "endpoint", name)


def settle(name, endpoint):
    """Carries out what was due by now."""
    if endpoint["due_at"] is None or time.time() < endpoint["due_at"]:
        return
    endpoint["due_at"] = None
    endpoint["changed_at"] = time.time()
    failure = endpoint.pop("failure", None)
    if endpoint["status"] == "Deleting":
        endpoints.pop(name, None)
    elif failure is None:
        endpoint.update(config=endpoint["wanted_config"], status="InService", reason=None)
    elif endpoint["status"] == "Updating" and failure.get("left", "InService") == "InService":
        # Blue/green: the old fleet goes on serving. The endpoint says why the new one did not, or nothing at all:
        # https://github.com/hashicorp/terraform-provider-aws/pull/49020
        endpoint.update(wanted_config=endpoint["config"], status="InService", reason=failure["reason"])
    else:
        endpoint.update(status="Failed", reason=failure["reason"])
    for listener in on_settled:
        listener(name, endpoint, failure)


# Called with (name, endpoint, failure) after each change.
on_settled = []


def wait_for(name, is_cancelled=lambda: False):
    """The endpoint when nothing is due any more, None when it is gone. For threads only."""
    while True:
        endpoint = endpoints.get(name)
        if endpoint is None:
            return None
        settle(name, endpoint)
        if endpoint["due_at"] is None or is_cancelled():
            return endpoints.get(name)
        time.sleep(0.02)


def create_endpoint(name, config_name, tags):
    if name in endpoints:
        settle(name, endpoints[name])
    if name in endpoints:
        raise exists("endpoint", name)
    config = require(configs, "endpoint-config", config_name)
    _require_quota(config, None)
    now = time.time()
    endpoints[name] = {
        "config": config_name, "wanted_config": config_name, "tags": tags, "status": "Creating", "reason": None,
        "created_at": now, "changed_at": now, "due_at": now + settings.delay("endpoint_create"),
    }
    _expect_failure(name, "create")


def update_endpoint(name, config_name):
    endpoint = require_endpoint(name)
    config = require(configs, "endpoint-config", config_name)
    _require_idle(name, endpoint)
    if endpoint["status"] == "Failed":
        # DescribeEndpoint's documentation: "DeleteEndpoint is the only operation that can be performed on a failed
        # endpoint". The wording is not known.
        raise Refused("ValidationException", f'Cannot update endpoint "{arn("endpoint", name)}" in status Failed.')
    _require_same_instances_while_scaled(name, endpoint, config)
    _require_quota(config, configs.get(endpoint["config"]))
    endpoint.update(wanted_config=config_name, status="Updating", reason=None,
                    due_at=time.time() + settings.delay("endpoint_update"))
    _expect_failure(name, "update")


def delete_endpoint(name):
    endpoint = require_endpoint(name)
    if endpoint["status"] == "Deleting":
        return
    _require_idle(name, endpoint)
    for deregister in deregister_targets:
        deregister(name)
    endpoint.update(status="Deleting", due_at=time.time() + settings.delay("endpoint_delete"))
    endpoint.pop("failure", None)


def _require_idle(name, endpoint):
    # An endpoint cannot be deleted while it is being made, and that may take an hour to fail:
    # https://github.com/aws/amazon-sagemaker-examples/issues/3432
    if endpoint["due_at"] is not None:
        raise Refused("ValidationException", f'Cannot update in-progress endpoint "{arn("endpoint", name)}".')


# Set by scaling.py: (endpoint name, variant name) -> is it a scalable target?
is_scaled = [lambda name, variant: False]


def _require_same_instances_while_scaled(name, endpoint, new_config):
    """"If the update would change the instance type for any model that is a target for auto scaling, the update fails."
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling.html; message as in
    https://github.com/hashicorp/terraform-provider-aws/issues/14337
    """
    new_types = {v["VariantName"]: v.get("InstanceType") for v in new_config["ProductionVariants"]}
    old = configs.get(endpoint["config"]) or {"ProductionVariants": endpoint.get("variants", [])}
    changed = [v["VariantName"] for v in old["ProductionVariants"]
               if is_scaled[0](name, v["VariantName"]) and new_types.get(v["VariantName"]) != v.get("InstanceType")]
    if changed:
        named = ", ".join(f'"{variant}"' for variant in changed)
        raise Refused(
            "ValidationException",
            f"The variant(s) {named} must be deregistered as scalable targets with AWS Auto Scaling before they can "
            "be removed or have their instance type updated.")


# Set by service_quotas.py: instance type -> how many an account may have for endpoints.
instance_quota = [lambda instance_type: 2]


def _require_quota(config, replaced_config):
    """Message: https://github.com/aws/amazon-sagemaker-examples/issues/307"""
    for variant in config["ProductionVariants"]:
        instance_type = variant.get("InstanceType")
        if instance_type is None:
            continue
        delta = int(variant.get("InitialInstanceCount", 1))
        used = sum(_count(configs.get(e["config"]), instance_type) for e in endpoints.values())
        # Blue/green: while an update runs, the old fleet is there too.
        limit = instance_quota[0](instance_type)
        if used + delta > limit:
            raise Refused(
                "ResourceLimitExceeded",
                f"The account-level service limit '{instance_type} for endpoint usage' is {limit} Instances, with "
                f"current utilization of {used} Instances and a request delta of {delta} Instances. Please use AWS "
                "Service Quotas to request an increase for this quota. If AWS Service Quotas is not available, "
                "contact AWS support to request an increase for this quota.")


def _count(config, instance_type):
    variants = config["ProductionVariants"] if config else []
    return sum(int(v.get("InitialInstanceCount", 1)) for v in variants if v.get("InstanceType") == instance_type)


def _expect_failure(name, during):
    fault = faults.strike("endpoint", lambda f: f.get("name", name) == name and f.get("during", during) == during)
    if fault:
        endpoint = endpoints[name]
        endpoint["failure"] = {"reason": fault["reason"], "left": fault.get("left", "InService")}
        if "afterMs" in fault:
            endpoint["due_at"] = time.time() + fault["afterMs"] / 1000
