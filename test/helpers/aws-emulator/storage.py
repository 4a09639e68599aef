"""S3 as strict as AWS's: a bucket that is not empty stays, versions and delete markers counted; uploads can break."""

import json

import faults
from ministack.services import cloudwatch_logs, s3
from ministack.services.cloudformation import provisioners
from api_errors import already_exists


def install():
    buckets = provisioners._RESOURCE_HANDLERS["AWS::S3::Bucket"]
    buckets["delete"] = _refuse_objects(buckets["delete"])
    buckets["create"] = _tagged(buckets["create"], 1)
    buckets["update"] = _tagged(buckets["update"], 2)
    groups = provisioners._RESOURCE_HANDLERS["AWS::Logs::LogGroup"]
    groups["create"] = _refuse_existing_group(groups["create"])


def _tagged(make, props_at):
    """The template's tags, which MiniStack leaves out: `destroy --purge` looks at them."""
    def run(*args):
        made = make(*args)
        tags = {tag["Key"]: str(tag["Value"]) for tag in args[props_at].get("Tags", [])}
        if tags:
            s3._bucket_tags[made[0]] = tags
        return made
    return run


def _refuse_objects(delete):
    """Reason: https://github.com/aws-cloudformation/rain/issues/128"""
    def run(physical_id, props):
        bucket = s3._buckets.get(physical_id)
        if bucket is not None and (bucket["objects"] or s3._bucket_has_versions(physical_id)):
            all_versions = (" You must delete all versions in the bucket."
                            if s3._bucket_versioning.get(physical_id) else "")
            raise ValueError(
                f"The bucket you tried to delete is not empty.{all_versions} (Service: Amazon S3; Status Code: 409; "
                "Error Code: BucketNotEmpty; Request ID: EMULATOR; S3 Extended Request ID: EMULATOR; Proxy: null)")
        delete(physical_id, props)
    return run


def _refuse_existing_group(create):
    """A log group that a former stack retained, or that a service made by itself."""
    def run(logical_id, props, stack_name):
        name = props.get("LogGroupName")
        if name in cloudwatch_logs._log_groups:
            raise already_exists("AWS::Logs::LogGroup", json.dumps({"/properties/LogGroupName": name}))
        return create(logical_id, props, stack_name)
    return run


def broken_upload(action, body):
    """The fault that refuses this request's object data, or None. A part of a multipart upload is a PutObject too."""
    if action != "s3:PutObject":
        return None
    return faults.strike("upload", lambda fault: _is_spent(fault, len(body)))


def _is_spent(fault, size):
    fault["_bytes"] = fault.get("_bytes", 0) + size
    fault["_requests"] = fault.get("_requests", 0) + 1
    return (fault["_bytes"] > fault.get("afterBytes", float("inf"))
            or fault["_requests"] > fault.get("afterRequests", float("inf"))
            or not {"afterBytes", "afterRequests"} & set(fault))
