"""CodeBuild that takes time and ends with an image in ECR, or not.

A build pushes what its environment says: the repository REPOSITORY_URI, the tag IMAGE_TAG. The name of the variable
PLATFORM, if there, gives the architecture; without it a repository whose name holds "agent" gets arm64.
"""

import copy
import json
import threading
import time
import contextvars

import faults
import settings
from container_images import LABEL, push_image, repository_of
from log_streams import write_log
from ministack.core.responses import error_response_json, json_response
from ministack.services import codebuild, s3

_PHASES = ("SUBMITTED", "QUEUED", "PROVISIONING", "DOWNLOAD_SOURCE", "INSTALL", "PRE_BUILD", "BUILD", "POST_BUILD",
           "FINALIZING")


def install():
    codebuild._start_build = _start_build
    codebuild._stop_build = _stop_build


def _start_build(data):
    project = codebuild._projects.get(data.get("projectName", ""))
    if project is None:
        return error_response_json(
            "ResourceNotFoundException", f"Project cannot be found: {data.get('projectName')}", 400)
    build_id = codebuild._build_id(project["name"])
    build = codebuild._make_build_record(project, build_id, data.get("sourceVersion"))
    build.pop("endTime")
    group, stream = build["logs"]["groupName"], build_id.split(":")[1]
    build.update(
        buildStatus="IN_PROGRESS", currentPhase="SUBMITTED", buildComplete=False, phases=[],
        logs={"groupName": group, "streamName": stream, "cloudWatchLogs": {"status": "ENABLED"}},
        source={**build["source"], **({"location": data["sourceLocationOverride"]}
                                      if "sourceLocationOverride" in data else {})})
    environment = copy.deepcopy(build["environment"])
    overridden = {v["name"]: v for v in environment.get("environmentVariables", [])}
    overridden.update({v["name"]: v for v in data.get("environmentVariablesOverride", [])})
    environment["environmentVariables"] = list(overridden.values())
    build["environment"] = environment
    codebuild._builds[build_id] = build
    # The stores are kept apart by account and region, which are the request's.
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(_run_build, build), daemon=True).start()
    return json_response({"build": copy.deepcopy(build)})


def _stop_build(data):
    build = codebuild._builds.get(data.get("id", ""))
    if build is None:
        return error_response_json("ResourceNotFoundException", f"Build cannot be found: {data.get('id')}", 400)
    if build["buildStatus"] == "IN_PROGRESS":
        _end(build, "STOPPED")
    return json_response({"build": copy.deepcopy(build)})


def _run_build(build):
    variables = {v["name"]: v["value"] for v in build["environment"]["environmentVariables"]}
    fault = faults.strike("build")
    failure = None
    for phase in _PHASES:
        if build["buildStatus"] != "IN_PROGRESS":
            return
        build["currentPhase"] = phase
        started = time.time()
        time.sleep(settings.delay("build_phase"))
        try:
            _run_phase(phase, build, variables, fault)
        except ValueError as error:
            failure = str(error)
        entry = {"phaseType": phase, "phaseStatus": "FAILED" if failure else "SUCCEEDED", "startTime": started,
                 "endTime": time.time(), "durationInSeconds": 0}
        if failure:
            entry["contexts"] = [{"statusCode": "COMMAND_EXECUTION_ERROR", "message": failure}]
        build["phases"].append(entry)
        _log(build, f"[Container] Phase complete: {phase} State: {entry['phaseStatus']}")
        if failure:
            break
    if build["buildStatus"] == "IN_PROGRESS":
        _end(build, "FAILED" if failure else "SUCCEEDED")


def _run_phase(phase, build, variables, fault):
    outcome = (fault or {}).get("outcome")
    if phase == "DOWNLOAD_SOURCE" and build["source"].get("type") == "S3":
        bucket, _, key = build["source"]["location"].removeprefix("arn:aws:s3:::").partition("/")
        if key not in (s3._buckets.get(bucket) or {"objects": {}})["objects"]:
            raise ValueError(f"error while downloading key {key}, error: NoSuchKey: The specified key does not exist.")
    if phase == "BUILD":
        _log(build, "[Container] Running command docker buildx build")
        if outcome == "failed":
            _log(build, fault.get("reason", "npm error code EUSAGE"))
            raise ValueError(
                f"Error while executing command: docker buildx build. Reason: {fault.get('reason', 'exit status 1')}")
    if phase == "POST_BUILD":
        _push(build, variables, outcome)


def _push(build, variables, outcome):
    missing = [name for name in ("REPOSITORY_URI", "IMAGE_TAG") if not variables.get(name)]
    if missing:
        raise ValueError(f"{' and '.join(missing)} not set in the build's environment")
    repository = repository_of(variables["REPOSITORY_URI"])
    is_agent = "agent" in repository
    architecture = "arm64" if "arm64" in variables.get("PLATFORM", "arm64" if is_agent else "amd64") else "amd64"
    if outcome == "wrong-architecture":
        architecture = "amd64" if architecture == "arm64" else "arm64"
    labels = {} if is_agent or outcome == "missing-label" else {LABEL: "true"}
    push_image(repository, variables["IMAGE_TAG"], labels, architecture, is_oci=outcome == "oci-manifest")
    _log(build, f"[Container] pushed {variables['REPOSITORY_URI']}:{variables['IMAGE_TAG']}")


def _end(build, status):
    now = time.time()
    build.update(buildStatus=status, currentPhase="COMPLETED", endTime=now, buildComplete=True)
    build["phases"].append({"phaseType": "COMPLETED", "startTime": now})


def _log(build, line):
    write_log(build["logs"]["groupName"], build["logs"]["streamName"], [line])
