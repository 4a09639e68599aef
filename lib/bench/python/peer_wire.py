"""The wire of every peer: a line of JSON in is one text to speak, a line of JSON out says how long that took.

In:  {"ids": [token ids without pads], "phonemes": "..."}
Out: {"whole_ms": time to speak it, "samples": how many came out}
"""
import json
import os
import sys
import time

# As our own engine's threads have (lib/kokoro/synthesis-worker.ts); set before ONNX Runtime starts any of its own.
if hasattr(os, "nice"):
    os.nice(10)

# What libraries print must not be taken for an answer.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(message):
    _answers.write(json.dumps(message) + "\n")
    _answers.flush()


def serve(speak):
    """`speak(ids, phonemes)` gives the samples."""
    answer({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        started = time.perf_counter()
        samples = speak(request["ids"], request["phonemes"])
        answer({"whole_ms": (time.perf_counter() - started) * 1000, "samples": int(len(samples))})
