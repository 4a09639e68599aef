"""Service Quotas, as far as SageMaker's endpoints and AgentCore's runtimes are concerned."""

import hashlib

import faults
import sagemaker_store
from api_errors import Refused, refusals_answered
from ministack.core.responses import get_account_id, get_region
from services import add_service

_INSTANCES = ("ml.g5.xlarge", "ml.g5.2xlarge", "ml.g6.xlarge", "ml.c7i.xlarge", "ml.c7i.2xlarge", "ml.c7i.4xlarge",
              "ml.m5.xlarge", "ml.c5.xlarge")
# What a new account has is often 0 for a GPU; a test says so by a fault.
_DEFAULT = 2.0
_QUOTAS = {"sagemaker": [f"{instance} for endpoint usage" for instance in _INSTANCES]}


def install():
    add_service("servicequotas", "ServiceQuotasV20190624.", refusals_answered(_OPERATIONS))
    sagemaker_store.instance_quota[0] = lambda instance: int(_value(f"{instance} for endpoint usage"))


def _value(name):
    fault = faults.strike("quota", lambda f: f["quota"] == name)
    return float(fault["value"]) if fault else _DEFAULT


def _code(name):
    """Quota codes are opaque: L- and eight hex digits. These are made up, so that nobody relies on them."""
    return f"L-{hashlib.sha256(name.encode()).hexdigest()[:8].upper()}"


def _quota(service, name, value):
    code = _code(name)
    return {
        "ServiceCode": service, "ServiceName": "Amazon SageMaker", "QuotaCode": code, "QuotaName": name,
        "QuotaArn": f"arn:aws:servicequotas:{get_region()}:{get_account_id()}:{service}/{code}",
        "Value": value, "Unit": "None", "Adjustable": True, "GlobalQuota": False,
    }


def _names(data):
    names = _QUOTAS.get(data["ServiceCode"])
    if names is None:
        raise Refused("NoSuchResourceException", f"The request failed because service {data['ServiceCode']} is unknown.")
    return names


def _list(value_of):
    def run(data):
        names = _names(data)
        # Pages, so that a caller who reads only the first one is found out.
        start, size = int(data.get("NextToken") or 0), min(int(data.get("MaxResults") or 100), 5)
        answer = {"Quotas": [_quota(data["ServiceCode"], n, value_of(n)) for n in names[start:start + size]]}
        if start + size < len(names):
            answer["NextToken"] = str(start + size)
        return answer
    return run


def _get(value_of):
    def run(data):
        name = next((n for n in _names(data) if _code(n) == data["QuotaCode"]), None)
        if name is None:
            raise Refused("NoSuchResourceException", "The request failed because the specified quota does not exist.")
        return {"Quota": _quota(data["ServiceCode"], name, value_of(name))}
    return run


_OPERATIONS = {
    "ListServiceQuotas": _list(_value),
    "GetServiceQuota": _get(_value),
    "ListAWSDefaultServiceQuotas": _list(lambda name: 0.0),
    "GetAWSDefaultServiceQuota": _get(lambda name: 0.0),
}
