"""Listens to sounds: which words a recognizer hears, and what two models of listeners' opinion say.

In:  {"path": PCM16 little-endian mono at 16,000 Hz}
Out: {"words": recognized, in lower case, "dnsmos": overall 1-5, "plcmos": 1-5, low where packets seem lost}
"""
import json
import os
import sys

_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print must not be taken for an answer

import numpy as np
from pocketsphinx import Decoder
from speechmos import dnsmos, plcmos

RATE_HZ = 16_000


def answer(message):
    _answers.write(json.dumps(message) + "\n")
    _answers.flush()


def words_in(pcm16):
    decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL")  # a new one: it adapts itself to what it heard before
    decoder.start_utt()
    decoder.process_raw(pcm16, full_utt=True)
    decoder.end_utt()
    heard = decoder.hyp()
    return heard.hypstr.lower().split() if heard else []


answer({"ready": True})
for line in sys.stdin:
    with open(json.loads(line)["path"], "rb") as file:
        pcm16 = file.read()
    samples = np.frombuffer(pcm16, dtype="<i2").astype(np.float32) / 32768
    answer(
        {
            "words": words_in(pcm16),
            "dnsmos": float(dnsmos.run(samples, RATE_HZ)["ovrl_mos"]),
            "plcmos": float(plcmos.run(samples, RATE_HZ)["plcmos"]),
        }
    )
