"""SageMaker's API: JSON 1.1, target SageMaker.<operation>."""

import re
import time

import sagemaker_store as store
from api_errors import Refused, refusals_answered
from container_images import image_of
from ministack.core.responses import get_account_id
from ministack.services import s3
from services import add_service


def install():
    add_service("sagemaker", "SageMaker.", refusals_answered(_OPERATIONS))


def create_model(data):
    name = data["ModelName"]
    if name in store.models:
        raise store.exists("model", name)
    if not data.get("ExecutionRoleArn"):
        raise Refused("ValidationException", "Execution role ARN is required.")
    for container in containers_of(data):
        _require_image(container)
        _require_data(container)
    store.models[name] = {**data, "ModelArn": store.arn("model", name), "CreationTime": time.time()}
    return {"ModelArn": store.arn("model", name)}


def containers_of(model):
    return [model["PrimaryContainer"]] if model.get("PrimaryContainer") else model.get("Containers", [])


def _require_image(container):
    image = container.get("Image", "")
    if not re.match(r"\d{12}\.dkr\.ecr\.", image):
        # https://github.com/aws/sagemaker-python-sdk/pull/4700
        raise Refused("ValidationException",
                      f'Using non-ECR image "{image}" without Vpc repository access mode is not supported.')
    if not image.startswith(get_account_id()):
        return  # another account's registry, which is not here
    found = image_of(image)
    if found is None:
        # https://github.com/aws-samples/easy-amazon-sagemaker-deployments/issues/4
        raise Refused("ValidationException", f"Requested image {image} not found.")
    if "vnd.oci" in found["imageManifestMediaType"]:
        # https://github.com/aws/amazon-sagemaker-feedback/issues/180
        raise Refused("ValidationException",
                      f"Unsupported manifest media type {found['imageManifestMediaType']} for image {image}. "
                      "Ensure that valid manifest media type is used for specified image.")


def _require_data(container):
    """AWS says this of ModelDataUrl; that it says so of a prefix is assumed."""
    uri = (container.get("ModelDataSource") or {}).get("S3DataSource", {}).get("S3Uri")
    if uri is None:
        return
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    objects = (s3._buckets.get(bucket) or {}).get("objects", {})
    if not any(key.startswith(prefix) for key in objects):
        raise Refused("ValidationException", f"Could not find model data at {uri}.")


def create_endpoint_config(data):
    name = data["EndpointConfigName"]
    if name in store.configs:
        raise store.exists("endpoint-config", name)
    for variant in data["ProductionVariants"]:
        store.require(store.models, "model", variant["ModelName"])
    arn = store.arn("endpoint-config", name)
    store.configs[name] = {**data, "EndpointConfigArn": arn, "CreationTime": time.time()}
    return {"EndpointConfigArn": arn}


def create_endpoint(data):
    store.create_endpoint(data["EndpointName"], data["EndpointConfigName"], data.get("Tags", []))
    return {"EndpointArn": store.arn("endpoint", data["EndpointName"])}


def update_endpoint(data):
    store.update_endpoint(data["EndpointName"], data["EndpointConfigName"])
    return {"EndpointArn": store.arn("endpoint", data["EndpointName"])}


def describe_endpoint(data):
    name = data["EndpointName"]
    endpoint = store.require_endpoint(name)
    answer = {
        "EndpointName": name,
        "EndpointArn": store.arn("endpoint", name),
        "EndpointConfigName": endpoint["config"],
        "EndpointStatus": endpoint["status"],
        "CreationTime": endpoint["created_at"],
        "LastModifiedTime": endpoint["changed_at"],
    }
    if endpoint["reason"]:
        answer["FailureReason"] = endpoint["reason"]
    if endpoint["status"] in ("InService", "Updating"):
        answer["ProductionVariants"] = [_variant_summary(name, v, endpoint) for v in _variants(endpoint)]
    return answer


def _variants(endpoint):
    # A configuration may be deleted under its endpoint ("you must not"): the endpoint serves on.
    config = store.configs.get(endpoint["config"])
    if config is not None:
        endpoint["variants"] = config["ProductionVariants"]
    return endpoint.get("variants", [])


def _variant_summary(name, variant, endpoint):
    count = int(variant.get("InitialInstanceCount", 1))
    weight = float(variant.get("InitialVariantWeight", 1))
    images = []
    for container in containers_of(store.models.get(variant["ModelName"]) or {}):
        found = image_of(container["Image"])
        repository = re.split(r"[:@](?=[^/]*$)", container["Image"])[0]
        images.append({
            "SpecifiedImage": container["Image"],
            "ResolvedImage": f"{repository}@{found['imageDigest']}" if found else container["Image"],
            "ResolutionTime": endpoint["created_at"],
        })
    if images:
        endpoint["images"] = images
    return {
        "VariantName": variant["VariantName"],
        "DeployedImages": endpoint.get("images", []),
        "CurrentWeight": weight,
        "DesiredWeight": weight,
        "CurrentInstanceCount": count,
        "DesiredInstanceCount": count,
    }


def list_endpoints(data):
    for name, endpoint in store.endpoints.items():
        store.settle(name, endpoint)
    return {"Endpoints": [
        {"EndpointName": name, "EndpointArn": store.arn("endpoint", name), "EndpointStatus": e["status"],
         "CreationTime": e["created_at"], "LastModifiedTime": e["changed_at"]}
        for name, e in store.endpoints.items()
        if data.get("NameContains", "") in name and e["status"] == data.get("StatusEquals", e["status"])]}


def list_endpoint_configs(data):
    return {"EndpointConfigs": [
        {"EndpointConfigName": n, "EndpointConfigArn": c["EndpointConfigArn"], "CreationTime": c["CreationTime"]}
        for n, c in store.configs.items() if data.get("NameContains", "") in n]}


def list_models(data):
    return {"Models": [
        {"ModelName": n, "ModelArn": m["ModelArn"], "CreationTime": m["CreationTime"]}
        for n, m in store.models.items() if data.get("NameContains", "") in n]}


def delete_model(data):
    store.require(store.models, "model", data["ModelName"])
    store.models.pop(data["ModelName"])


def delete_endpoint_config(data):
    # Allowed while an endpoint uses it, though the documentation says one must not.
    store.require(store.configs, "endpoint-config", data["EndpointConfigName"])
    store.configs.pop(data["EndpointConfigName"])


def list_tags(data):
    kind, _, name = data["ResourceArn"].rsplit(":", 1)[-1].partition("/")
    stores = {"endpoint": (store.endpoints, "tags"), "endpoint-config": (store.configs, "Tags"),
              "model": (store.models, "Tags")}
    if kind in stores:
        where, key = stores[kind]
        for found, record in where.items():
            if found.lower() == name:
                return {"Tags": record.get(key) or []}
    raise Refused("ValidationException", f"Could not find {data['ResourceArn']}.")


_OPERATIONS = {
    "CreateModel": create_model,
    "DescribeModel": lambda data: store.require(store.models, "model", data["ModelName"]),
    "ListModels": list_models,
    "DeleteModel": delete_model,
    "CreateEndpointConfig": create_endpoint_config,
    "DescribeEndpointConfig": lambda data: store.require(
        store.configs, "endpoint-config", data["EndpointConfigName"]),
    "ListEndpointConfigs": list_endpoint_configs,
    "DeleteEndpointConfig": delete_endpoint_config,
    "CreateEndpoint": create_endpoint,
    "DescribeEndpoint": describe_endpoint,
    "ListEndpoints": list_endpoints,
    "UpdateEndpoint": update_endpoint,
    "DeleteEndpoint": lambda data: store.delete_endpoint(data["EndpointName"]),
    "ListTags": list_tags,
}
