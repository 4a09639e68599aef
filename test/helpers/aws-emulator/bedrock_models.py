"""Bedrock's models: which there are, whether they are had directly or by an inference profile, who may use them."""

import json

import faults
from ministack.services import bedrock

# Newer than MiniStack's list; to be had by an inference profile only:
# https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
_PROFILE_ONLY = "anthropic.claude-haiku-4-5-20251001-v1:0"
# Where the profiles of a group of regions send a request.
_REGIONS = {"us": ("us-east-1", "us-east-2", "us-west-2"), "eu": ("eu-central-1", "eu-west-1", "eu-west-3")}


def install():
    bedrock._CATALOG.append((_PROFILE_ONLY, "Claude Haiku 4.5", "Anthropic", ["TEXT", "IMAGE"], ["TEXT"], True))
    bedrock._INFERENCE_PROFILE_PREFIXES = (*bedrock._INFERENCE_PROFILE_PREFIXES, "global")
    bedrock._model_summary = _with_inference_types(bedrock._model_summary)
    bedrock._get_foundation_model = _no_profiles(bedrock._get_foundation_model)
    bedrock._get_foundation_model_availability = _no_profiles(
        _with_access(bedrock._get_foundation_model_availability))
    bedrock._get_inference_profile = _in_all_regions(bedrock._get_inference_profile)


def _with_inference_types(summarize):
    def run(model_id, *rest):
        summary = summarize(model_id, *rest)
        if model_id == _PROFILE_ONLY:
            summary["InferenceTypesSupported"] = ["INFERENCE_PROFILE"]
        return summary
    return run


def _no_profiles(describe):
    """An inference profile is no foundation model; MiniStack takes its prefix off."""
    def run(identifier):
        if identifier.split(".")[0] in bedrock._INFERENCE_PROFILE_PREFIXES:
            return bedrock._validation("The provided model identifier is invalid.")
        return describe(identifier)
    return run


def _with_access(describe):
    def run(model_id):
        status, headers, body = describe(model_id)
        if status != 200:
            return status, headers, body
        data = json.loads(body)
        # A test's account has accepted every agreement, unless a fault says otherwise.
        data["agreementAvailability"] = {"status": "AVAILABLE"}
        fault = faults.strike("model", lambda f: f.get("modelId", model_id) == model_id)
        if fault and fault["status"] == "no-agreement":
            data["agreementAvailability"] = {"status": "NOT_AVAILABLE"}
        if fault and fault["status"] == "not-authorized":
            data.update(authorizationStatus="NOT_AUTHORIZED", entitlementAvailability="NOT_AVAILABLE")
        if fault and fault["status"] == "not-in-region":
            data["regionAvailability"] = "NOT_AVAILABLE"
        return status, headers, json.dumps(data).encode()
    return run


def _in_all_regions(describe):
    def run(identifier):
        status, headers, body = describe(identifier)
        regions = _REGIONS.get(identifier.split(".")[0])
        if status != 200 or regions is None:
            return status, headers, body
        data = json.loads(body)
        model = data["models"][0]["modelArn"].split("::")[1]
        data["models"] = [{"modelArn": f"arn:aws:bedrock:{region}::{model}"} for region in regions]
        return status, headers, json.dumps(data).encode()
    return run
