"""Kokoro's graph as it is, in plain ONNX Runtime: peer_onnxruntime.py MODEL VOICE THREADS [OPERATORS]."""
import sys

import peer_wire  # first: it sets the niceness that the threads inherit

import numpy as np
import onnxruntime as ort

model, voice_file, threads, *operators = sys.argv[1:]

options = ort.SessionOptions()
options.intra_op_num_threads = int(threads)
options.inter_op_num_threads = 1
options.log_severity_level = 3
for library in operators:
    options.register_custom_ops_library(library)
session = ort.InferenceSession(model, sess_options=options, providers=["CPUExecutionProvider"])
voice = np.fromfile(voice_file, dtype="<f4").reshape(510, 1, 256)


def speak(ids, _phonemes):
    inputs = {
        "tokens": np.array([[0, *ids, 0]], dtype=np.int64),
        "style": voice[len(ids) - 1],
        "speed": np.array([1], dtype=np.float32),
    }
    return session.run(None, inputs)[0].ravel()


peer_wire.serve(speak)
