"""Application Auto Scaling: targets and policies, by API and by CloudFormation."""

import time
import uuid

import faults
import sagemaker_store
from api_errors import Refused, refusals_answered
from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region
from ministack.services import cloudwatch
from services import add_service
from stack_operations import register

# (namespace, resource id, dimension) -> target; ... + policy name -> policy
targets = AccountRegionScopedDict()
policies = AccountRegionScopedDict()


def install():
    add_service("application-autoscaling", "AnyScaleFrontendService.", refusals_answered(_OPERATIONS))
    sagemaker_store.deregister_targets.append(_deregister_endpoint)
    sagemaker_store.is_scaled[0] = lambda name, variant: any(
        resource_id == f"endpoint/{name}/variant/{variant}" for _, resource_id, _ in targets.keys())
    register("AWS::ApplicationAutoScaling::ScalableTarget",
             {"create": _create_target, "update": _update_target, "delete": _delete_target},
             ("ResourceId", "ScalableDimension", "ServiceNamespace"), "list")
    register("AWS::ApplicationAutoScaling::ScalingPolicy",
             {"create": _create_policy, "update": _update_policy, "delete": _delete_policy},
             ("PolicyName", "ServiceNamespace", "ResourceId", "ScalableDimension", "ScalingTargetId"))


def reset():
    targets.clear()
    policies.clear()


def _key(data):
    return data["ServiceNamespace"], data["ResourceId"], data["ScalableDimension"]


def _unregistered(key):
    namespace, resource_id, dimension = key
    return Refused(
        "ObjectNotFoundException",
        f"No scalable target registered for service namespace: {namespace}, resource ID: {resource_id}, "
        f"scalable dimension: {dimension}")


def _require_variant(key):
    namespace, resource_id, _ = key
    if namespace != "sagemaker":
        return
    parts = resource_id.split("/")
    endpoint = sagemaker_store.endpoints.get(parts[1]) if len(parts) == 4 else None
    if endpoint is None:
        # The wording is not known.
        raise Refused("ValidationException", f"Resource not found: {resource_id}")


def register_target(data):
    key = _key(data)
    _require_variant(key)
    previous = targets.get(key) or {"CreationTime": time.time()}
    targets[key] = {**previous, **{k: data[k] for k in ("MinCapacity", "MaxCapacity", "RoleARN") if k in data}}
    return {"ScalableTargetARN": f"arn:aws:application-autoscaling:{get_region()}:{get_account_id()}:"
                                 f"scalable-target/{uuid.uuid5(uuid.NAMESPACE_URL, '|'.join(key)).hex}"}


def describe_targets(data):
    wanted = data.get("ResourceIds")
    return {"ScalableTargets": [
        {"ServiceNamespace": namespace, "ResourceId": resource_id, "ScalableDimension": dimension,
         "MinCapacity": target["MinCapacity"], "MaxCapacity": target["MaxCapacity"],
         "RoleARN": target.get("RoleARN", ""), "CreationTime": target["CreationTime"]}
        for (namespace, resource_id, dimension), target in targets.items()
        if namespace == data["ServiceNamespace"] and (not wanted or resource_id in wanted)]}


def deregister_target(data):
    key = _key(data)
    if key not in targets:
        raise _unregistered(key)
    targets.pop(key)
    # "Deregistering a scalable target deletes the scaling policies that are associated with it."
    for policy_key in [k for k in policies.keys() if k[:3] == key]:
        _drop_policy(policy_key)


def put_policy(data):
    key = _key(data)
    if key not in targets:
        raise _unregistered(key)
    policy_key = (*key, data["PolicyName"])
    policy = policies.get(policy_key) or {
        "PolicyARN": f"arn:aws:autoscaling:{get_region()}:{get_account_id()}:scalingPolicy:{uuid.uuid4()}:resource/"
                     f"{key[0]}/{key[1]}:policyName/{data['PolicyName']}",
        "CreationTime": time.time(),
        "Alarms": _make_alarms(key[1]),
    }
    policy["PolicyType"] = data.get("PolicyType", "TargetTrackingScaling")
    tracking = data.get("TargetTrackingScalingPolicyConfiguration")
    if tracking:
        policy["TargetTrackingScalingPolicyConfiguration"] = {**tracking, "TargetValue": float(tracking["TargetValue"])}
    policies[policy_key] = policy
    return {"PolicyARN": policy["PolicyARN"], "Alarms": policy["Alarms"]}


def describe_policies(data):
    return {"ScalingPolicies": [
        {"ServiceNamespace": namespace, "ResourceId": resource_id, "ScalableDimension": dimension,
         "PolicyName": name, **policy}
        for (namespace, resource_id, dimension, name), policy in policies.items()
        if namespace == data["ServiceNamespace"] and resource_id == data.get("ResourceId", resource_id)]}


def delete_policy(data):
    policy_key = (*_key(data), data["PolicyName"])
    if policy_key not in policies:
        raise Refused("ObjectNotFoundException", f"No scaling policy found: {data['PolicyName']}")
    _drop_policy(policy_key)


def _make_alarms(resource_id):
    """Target tracking keeps two alarms of its own, and the one for scaling in rests in ALARM while there is little to
    do: https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-target-tracking.html
    """
    made = []
    for side, state in (("AlarmHigh", "OK"), ("AlarmLow", "ALARM")):
        name = f"TargetTracking-{resource_id}-{side}-{uuid.uuid4()}"
        alarm_arn = f"arn:aws:cloudwatch:{get_region()}:{get_account_id()}:alarm:{name}"
        now = int(time.time())
        cloudwatch._alarms[name] = {
            "AlarmName": name, "AlarmArn": alarm_arn, "AlarmDescription": "DO NOT EDIT OR DELETE.",
            "MetricName": "ConcurrentRequestsPerModel", "Namespace": "AWS/SageMaker", "Statistic": "Maximum",
            "ExtendedStatistic": None, "Period": 10, "EvaluationPeriods": 3, "DatapointsToAlarm": None,
            "Threshold": 1.0, "ComparisonOperator": "GreaterThanThreshold", "TreatMissingData": "missing",
            "StateValue": state, "StateReason": "Unchecked", "StateUpdatedTimestamp": now, "ActionsEnabled": True,
            "AlarmActions": [], "OKActions": [], "InsufficientDataActions": [], "Dimensions": [], "Unit": None,
            "AlarmConfigurationUpdatedTimestamp": now,
        }
        made.append({"AlarmName": name, "AlarmARN": alarm_arn})
    return made


def _drop_policy(policy_key):
    policy = policies.pop(policy_key, None)
    for alarm in (policy or {}).get("Alarms", []):
        cloudwatch._alarms.pop(alarm["AlarmName"], None)


def _deregister_endpoint(name):
    """"If you delete an endpoint, Application Auto Scaling [...] deregisters those models as scalable targets without
    notifying you", if the caller may do that:
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-delete-with-scaling.html; message as in
    https://github.com/awslabs/stable-diffusion-aws-extension/issues/161
    """
    for key in [k for k in targets.keys() if k[1].startswith(f"endpoint/{name}/variant/")]:
        if faults.denies("application-autoscaling:DeregisterScalableTarget"):
            raise Refused(
                "ValidationException",
                "An Application AutoScaling scalable target exists for a variant being deleted, and the IAM identity "
                "used to invoke DeleteEndpoint does not have application-autoscaling:DeregisterScalableTarget "
                "permission to deregister the scalable target.")
        namespace, resource_id, dimension = key
        deregister_target(
            {"ServiceNamespace": namespace, "ResourceId": resource_id, "ScalableDimension": dimension})


_OPERATIONS = {
    "RegisterScalableTarget": register_target,
    "DescribeScalableTargets": describe_targets,
    "DeregisterScalableTarget": deregister_target,
    "PutScalingPolicy": put_policy,
    "DescribeScalingPolicies": describe_policies,
    "DeleteScalingPolicy": delete_policy,
    "DescribeScalingActivities": lambda data: {"ScalingActivities": []},
}


# ---- CloudFormation: a target's physical id is its three keys, a policy's is its ARN.


def _handled(run):
    try:
        return run()
    except Refused as refused:
        raise refused.as_resource_failure("ApplicationAutoScaling") from None


def _numbers(props):
    return {**props, **{k: int(props[k]) for k in ("MinCapacity", "MaxCapacity") if k in props}}


def _create_target(logical_id, props, stack_name):
    _handled(lambda: register_target(_numbers(props)))
    physical_id = f"{props['ResourceId']}|{props['ScalableDimension']}|{props['ServiceNamespace']}"
    return physical_id, {"Id": physical_id}


def _update_target(physical_id, old, new, stack_name, logical_id=None):
    return _create_target(logical_id, new, stack_name)


def _delete_target(physical_id, props):
    if _key(props) in targets:
        deregister_target(props)


def _of_target(props):
    """A policy names its target by ScalingTargetId, or by the three keys."""
    if props.get("ScalingTargetId"):
        resource_id, dimension, namespace = props["ScalingTargetId"].split("|")
        return {**props, "ResourceId": resource_id, "ScalableDimension": dimension, "ServiceNamespace": namespace}
    return props


def _create_policy(logical_id, props, stack_name):
    arn = _handled(lambda: put_policy(_of_target(props)))["PolicyARN"]
    return arn, {"Arn": arn}


def _update_policy(physical_id, old, new, stack_name, logical_id=None):
    return _create_policy(logical_id, new, stack_name)


def _delete_policy(physical_id, props):
    key = next((k for k, p in policies.items() if p["PolicyARN"] == physical_id), None)
    if key is not None:
        _drop_policy(key)
