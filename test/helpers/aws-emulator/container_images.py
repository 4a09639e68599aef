"""Images in the emulator's ECR: found by their URI, and made by hand for builds that succeed."""

import gzip
import hashlib
import io
import json
import re
import tarfile

from ministack.services import ecr

_DOCKER = "application/vnd.docker.distribution.manifest.v2+json"
_OCI = "application/vnd.oci.image.manifest.v1+json"
LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming"


def image_of(uri):
    """The record of ACCOUNT.dkr.ecr.REGION.SUFFIX/REPOSITORY:TAG or ...@DIGEST, or None."""
    match = re.fullmatch(r"[^/]+/(?P<repository>[^:@]+)(?::(?P<tag>[^@]+))?(?:@(?P<digest>.+))?", uri)
    if match is None:
        return None
    image_id = {"imageDigest": match["digest"]} if match["digest"] else {"imageTag": match["tag"] or "latest"}
    return ecr._find_image(match["repository"], image_id)


def repository_of(uri):
    return re.sub(r"^[^/]+/", "", uri).split(":")[0].split("@")[0]


def push_image(repository, tag, settings, architecture, is_oci=False):
    """One layer with one file, its config and its manifest, stored as a push over /v2 stores them."""
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        content = f"built for {architecture}\n".encode()
        entry = tarfile.TarInfo("app/README")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    layer = gzip.compress(tarred.getvalue(), mtime=0)
    config = json.dumps({
        "architecture": architecture,
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": [_digest(tarred.getvalue())]},
        "history": [{"created_by": "emulator"}],
    }).encode()
    kinds = ("vnd.oci.image.config.v1+json", "vnd.oci.image.layer.v1.tar+gzip") if is_oci else (
        "vnd.docker.container.image.v1+json", "vnd.docker.image.rootfs.diff.tar.gzip")
    media_type = _OCI if is_oci else _DOCKER
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": media_type,
        "config": {"mediaType": f"application/{kinds[0]}", "size": len(config), "digest": _digest(config)},
        "layers": [{"mediaType": f"application/{kinds[1]}", "size": len(layer), "digest": _digest(layer)}],
    }).encode()
    blobs = ecr._layer_blobs.setdefault(repository, {})
    blobs[_digest(config)] = config
    blobs[_digest(layer)] = layer
    status, _, body = ecr._v2_put_manifest(repository, tag, {"content-type": media_type}, manifest)
    if status >= 300:
        raise ValueError(body.decode())


def _digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
