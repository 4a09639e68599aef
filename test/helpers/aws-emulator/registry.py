"""ECR as strict as AWS's: repositories that are not empty stay, images report their size, layers can be fetched."""

import json

import ministack.app as app
from api_errors import already_exists
from ministack.core.responses import error_response_json, json_response
from ministack.services import ecr
from ministack.services.cloudformation import changesets, provisioners


def install():
    ecr._delete_repository = _refuse_images(ecr._delete_repository)
    ecr._describe_images = _describe_images
    ecr._get_download_url_for_layer = _get_download_url_for_layer
    handlers = provisioners._RESOURCE_HANDLERS["AWS::ECR::Repository"]
    handlers["create"] = _refuse_existing(handlers["create"])
    # Adoption of what a former stack retained: the type supports import, by RepositoryName.
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-import-supported-resources.html
    handlers["import"] = _import_repository
    changesets._IMPORT_LOOKUPS["AWS::ECR::Repository"] = (("RepositoryName",), _import_problem)


def _refuse_images(delete):
    """MiniStack refuses too, in other words than AWS: https://github.com/brentley/appmeshworkshop/issues/31"""
    def run(data):
        name = data.get("repositoryName", "")
        if name in ecr._repositories and ecr._images.get(name) and not data.get("force"):
            return error_response_json(
                "RepositoryNotEmptyException",
                f"The repository with name '{name}' in registry with id '{ecr._registry_id()}' cannot be deleted "
                "because it still contains images", 400)
        answer = delete(data)
        ecr._manifest_blobs.pop(name, None)
        ecr._layer_blobs.pop(name, None)
        return answer
    return run


def _refuse_existing(create):
    def run(logical_id, props, stack_name):
        name = props.get("RepositoryName")
        if name in ecr._repositories:
            raise already_exists("AWS::ECR::Repository", name)
        return create(logical_id, props, stack_name)
    return run


def _import_repository(identifier):
    repository = ecr._repositories[identifier["RepositoryName"]]
    return repository["repositoryName"], {
        "Arn": repository["repositoryArn"], "RepositoryUri": repository["repositoryUri"]}


def _import_problem(name):
    if name in ecr._repositories:
        return None
    return f"Resource of type 'AWS::ECR::Repository' with identifier '{name}' was not found."


def _describe_images(data):
    name = data.get("repositoryName", "")
    if name not in ecr._repositories:
        return error_response_json(
            "RepositoryNotFoundException",
            f"The repository with name '{name}' does not exist in the registry with id '{ecr._registry_id()}'", 400)
    images = ecr._images.get(name, [])
    wanted = data.get("imageIds")
    if wanted:
        images = [ecr._find_image(name, image_id) for image_id in wanted]
        if None in images:
            missing = json.dumps(wanted[images.index(None)])
            return error_response_json(
                "ImageNotFoundException",
                f"The image with imageId {missing} does not exist within the repository with name '{name}' in the "
                f"registry with id '{ecr._registry_id()}'", 400)
    return json_response({"imageDetails": [
        {"registryId": ecr._registry_id(), "repositoryName": name, "imageDigest": image["imageDigest"],
         "imageTags": image.get("imageTags", []), "imageSizeInBytes": _size(image),
         "imagePushedAt": image["imagePushedAt"], "imageManifestMediaType": image["imageManifestMediaType"]}
        for image in images]})


def _size(image):
    try:
        manifest = json.loads(image["imageManifest"])
        return sum(part["size"] for part in (manifest["config"], *manifest["layers"]))
    except (KeyError, ValueError):
        return len(image["imageManifest"])


def _get_download_url_for_layer(data):
    """On AWS a presigned URL of S3; here the registry's own, which asks for no credentials."""
    name, digest = data.get("repositoryName", ""), data.get("layerDigest", "")
    if digest not in ecr._layer_blobs.get(name, {}):
        return error_response_json(
            "LayersNotFoundException",
            f"The layer with digest '{digest}' does not exist in the repository with name '{name}' in registry with "
            f"id '{ecr._registry_id()}'", 400)
    return json_response({
        "downloadUrl": f"http://localhost:{app._MINISTACK_PORT}/v2/{name}/blobs/{digest}", "layerDigest": digest})
