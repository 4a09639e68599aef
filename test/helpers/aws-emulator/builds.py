"""CodeBuild that takes time and ends with an image in ECR, or not.

What is built is read from where CodeBuild reads it: the project's build spec (its `docker buildx build` gives platform
and Dockerfile), the source zip in S3 (the Dockerfile and all that it copies must be in it), and the environment
(REPOSITORY_URI, IMAGE_TAG). The image itself is a small one, with what the Dockerfile says of labels,
user and command.
"""

import contextvars
import copy
import threading
import time

import faults
import settings
from build_source import BuildFailure, BuildSource
from container_images import LABEL, push_image, repository_of
from log_streams import write_log
from ministack.core.responses import error_response_json, json_response
from ministack.services import codebuild

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
    environment = copy.deepcopy(build["environment"])
    variables = {v["name"]: v for v in environment.get("environmentVariables", [])}
    variables.update({v["name"]: v for v in data.get("environmentVariablesOverride", [])})
    environment["environmentVariables"] = list(variables.values())
    source = {**build["source"]}
    if "sourceLocationOverride" in data:
        source["location"] = data["sourceLocationOverride"]
    build.update(
        buildStatus="IN_PROGRESS", currentPhase="SUBMITTED", buildComplete=False, phases=[],
        environment=environment, source=source,
        logs={"groupName": build["logs"]["groupName"], "streamName": build_id.split(":")[1],
              "cloudWatchLogs": {"status": "ENABLED"}})
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
    source = BuildSource(build["source"])
    fault = faults.strike("build")
    failure = None
    for phase in _PHASES:
        build["currentPhase"] = phase
        started = time.time()
        time.sleep(settings.delay("build_phase"))
        if build["buildStatus"] != "IN_PROGRESS":
            return
        try:
            _run_phase(phase, build, source, variables, fault)
        except BuildFailure as error:
            failure = str(error)
        _record_phase(build, phase, started, failure)
        if failure:
            break
    _end(build, "FAILED" if failure else "SUCCEEDED")


def _record_phase(build, phase, started, failure):
    entry = {"phaseType": phase, "phaseStatus": "FAILED" if failure else "SUCCEEDED", "startTime": started,
             "endTime": time.time(), "durationInSeconds": int(time.time() - started)}
    if failure:
        entry["contexts"] = [{"statusCode": "COMMAND_EXECUTION_ERROR", "message": failure}]
    build["phases"].append(entry)
    _log(build, f"[Container] Phase complete: {phase} State: {entry['phaseStatus']}")


def _run_phase(phase, build, source, variables, fault):
    if phase == "DOWNLOAD_SOURCE":
        source.download()
    if phase == "BUILD":
        _log(build, f"[Container] Running command {source.command}")
        if fault and fault["outcome"] == "failed":
            reason = fault.get("reason", "exit status 1")
            _log(build, reason)
            raise BuildFailure(f"Error while executing command: {source.command}. Reason: {reason}")
        source.check()
        _push(build, source, variables, (fault or {}).get("outcome"))


def _push(build, source, variables, outcome):
    missing = [name for name in ("REPOSITORY_URI", "IMAGE_TAG") if variables.get(name) in (None, "", "unset")]
    if missing:
        raise BuildFailure(f"{' and '.join(missing)} not set in the build's environment")
    architecture = source.architecture
    if outcome == "wrong-architecture":
        architecture = "amd64" if architecture == "arm64" else "arm64"
    config = copy.deepcopy(source.config)
    if outcome == "missing-label":
        config["Labels"].pop(LABEL, None)
    try:
        push_image(repository_of(variables["REPOSITORY_URI"]), variables["IMAGE_TAG"], config, architecture,
                   is_oci=outcome == "oci-manifest")
    except ValueError as error:
        # A tag that stands is immutable.
        raise BuildFailure(str(error)) from None
    _log(build, f"[Container] pushed {variables['REPOSITORY_URI']}:{variables['IMAGE_TAG']}")


def _end(build, status):
    now = time.time()
    build.update(buildStatus=status, currentPhase="COMPLETED", endTime=now, buildComplete=True)
    build["phases"].append({"phaseType": "COMPLETED", "startTime": now})


def _log(build, line):
    write_log(build["logs"]["groupName"], build["logs"]["streamName"], [line])
