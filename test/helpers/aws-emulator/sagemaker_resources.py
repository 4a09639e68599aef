"""SageMaker's types in CloudFormation. `Ref` is the ARN, which is also the physical id."""

import api_errors
import sagemaker_api as api
import sagemaker_store as store
from log_streams import write_log
from ministack.services.cloudformation import provisioners
from stack_operations import CANCELLED, HalfMade, is_cancelled, register


def install():
    store.on_settled.append(_write_container_log)
    register("AWS::SageMaker::Model", {"create": _create_model, "update": _same(_model_of), "delete": _delete_model},
             ("ExecutionRoleArn", "EnableNetworkIsolation", "InferenceExecutionConfig", "PrimaryContainer",
              "ModelName", "VpcConfig", "Containers"), "list")
    register("AWS::SageMaker::EndpointConfig",
             {"create": _create_config, "update": _same(_config_of), "delete": _delete_config},
             ("KmsKeyId", "AsyncInferenceConfig", "ExecutionRoleArn", "ShadowProductionVariants",
              "EnableNetworkIsolation", "ProductionVariants", "DataCaptureConfig", "ExplainerConfig",
              "MetricsConfig", "EndpointConfigName", "VpcConfig"), "list")
    register("AWS::SageMaker::Endpoint",
             {"create": _create_endpoint, "update": _update_endpoint, "delete": _delete_endpoint},
             ("EndpointName",), "list")


def _name(props, key, stack_name, logical_id):
    return props.get(key) or provisioners._physical_name(stack_name, logical_id, max_len=63)


def _handled(run):
    try:
        return run()
    except api_errors.Refused as refused:
        raise refused.as_resource_failure("SageMaker") from None


def _model_of(name):
    return store.arn("model", name), {"ModelName": name, "ModelArn": store.arn("model", name)}


def _config_of(name):
    arn = store.arn("endpoint-config", name)
    return arn, {"EndpointConfigName": name, "EndpointConfigArn": arn}


def _endpoint_of(name):
    return store.arn("endpoint", name), {"EndpointName": name, "EndpointArn": store.arn("endpoint", name)}


def _by_arn(records, arn_key, physical_id):
    return next((name for name, record in records.items() if record[arn_key] == physical_id), None)


def _endpoint_name(physical_id):
    return next((n for n in store.endpoints.keys() if store.arn("endpoint", n) == physical_id), None)


def _same(of):
    """Only tags can change in place."""
    def update(physical_id, old, new, stack_name, logical_id=None):
        name = physical_id.rsplit("/", 1)[-1]
        kept = next((n for n in (*store.models.keys(), *store.configs.keys()) if n.lower() == name), name)
        return of(kept)
    return update


def _create_model(logical_id, props, stack_name):
    name = _name(props, "ModelName", stack_name, logical_id)
    _handled(lambda: api.create_model({**props, "ModelName": name}))
    return _model_of(name)


def _delete_model(physical_id, props):
    store.models.pop(_by_arn(store.models, "ModelArn", physical_id), None)


def _create_config(logical_id, props, stack_name):
    name = _name(props, "EndpointConfigName", stack_name, logical_id)
    _handled(lambda: api.create_endpoint_config({**_with_numbers(props), "EndpointConfigName": name}))
    return _config_of(name)


def _with_numbers(props):
    """A template may carry numbers as strings; the API's answers may not."""
    variants = []
    for variant in props["ProductionVariants"]:
        typed = dict(variant)
        for key in ("InitialInstanceCount", "ContainerStartupHealthCheckTimeoutInSeconds",
                    "ModelDataDownloadTimeoutInSeconds"):
            if key in typed:
                typed[key] = int(typed[key])
        variants.append(typed)
    return {**props, "ProductionVariants": variants}


def _delete_config(physical_id, props):
    store.configs.pop(_by_arn(store.configs, "EndpointConfigArn", physical_id), None)


def _config_name(props):
    """The template's EndpointConfigName is a name, or what `Ref` gives: the ARN."""
    wanted = props["EndpointConfigName"]
    return _by_arn(store.configs, "EndpointConfigArn", wanted) or wanted


def _create_endpoint(logical_id, props, stack_name):
    name = _name(props, "EndpointName", stack_name, logical_id)
    _handled(lambda: store.create_endpoint(name, _config_name(props), props.get("Tags", [])))
    endpoint = store.wait_for(name, lambda: is_cancelled(stack_name))
    physical_id = _endpoint_of(name)[0]
    if is_cancelled(stack_name):
        raise HalfMade(physical_id, CANCELLED)
    if endpoint is None or endpoint["status"] != "InService":
        reason = endpoint["reason"] if endpoint else "It was deleted."
        raise HalfMade(physical_id, api_errors.not_stabilized("AWS::SageMaker::Endpoint", physical_id, reason))
    return _endpoint_of(name)


def _update_endpoint(physical_id, old, new, stack_name, logical_id=None):
    name = _endpoint_name(physical_id)
    if name is None:
        raise store.not_found("endpoint", physical_id.rsplit("/", 1)[-1]).as_resource_failure("SageMaker")
    wanted = _config_name(new)
    endpoint = store.wait_for(name)
    if endpoint["config"] == wanted and endpoint["status"] == "InService":
        return _endpoint_of(name)
    _handled(lambda: store.update_endpoint(name, wanted))
    endpoint = store.wait_for(name)
    if endpoint is None or endpoint["status"] != "InService" or endpoint["config"] != wanted:
        reason = endpoint["reason"] if endpoint else "It was deleted."
        raise api_errors.not_stabilized("AWS::SageMaker::Endpoint", physical_id, reason)
    return _endpoint_of(name)


def _delete_endpoint(physical_id, props):
    """One that is being created cannot be deleted, and the handler does not wait for it: that others do not either is in
    https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2000
    """
    name = _endpoint_name(physical_id)
    if name is None:
        return
    store.settle(name, store.endpoints[name])
    if name in store.endpoints:
        _handled(lambda: store.delete_endpoint(name))
        store.wait_for(name)


def _write_container_log(name, endpoint, failure):
    """What the container prints, where SageMaker puts it: one stream an instance, <variant>/<instance id>."""
    group = f"/aws/sagemaker/Endpoints/{name}"
    if failure:
        write_log(group, "main/i-0f00000000000bad0", [
            '{"level":"info","message":"starting"}',
            '{"level":"error","message":"' + failure["reason"].replace('"', "'") + '"}'])
    elif endpoint["status"] == "InService":
        write_log(group, "main/i-0f0000000000600d0", [
            '{"level":"info","message":"starting"}', '{"level":"info","message":"listening on 8080"}'])
