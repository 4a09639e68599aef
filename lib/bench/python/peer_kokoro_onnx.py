"""kokoro-onnx, as its users call it: peer_kokoro_onnx.py MODEL VOICE THREADS."""
import os
import sys
import tempfile

import peer_wire  # first: it sets the niceness that the threads inherit

import numpy as np
import onnxruntime as ort
from kokoro_onnx import Kokoro

model, voice_file, threads = sys.argv[1:]

options = ort.SessionOptions()
options.intra_op_num_threads = int(threads)
session = ort.InferenceSession(model, sess_options=options, providers=["CPUExecutionProvider"])
voice = np.fromfile(voice_file, dtype="<f4").reshape(510, 1, 256)
with tempfile.TemporaryDirectory() as folder:
    voices = os.path.join(folder, "voices.npz")
    np.savez(voices, voice=voice)
    kokoro = Kokoro.from_session(session, voices)


def speak(_ids, phonemes):
    # Untrimmed, so that every engine is held against the same length of sound.
    samples, _rate = kokoro.create(phonemes, voice, is_phonemes=True, trim=False)
    return samples


peer_wire.serve(speak)
