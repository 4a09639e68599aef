"""The wire of every chunker: a line of JSON in are texts to split, a line of JSON out their pieces.

In:  {"texts": [...], "fragmentChars": how many characters come at once}
Out: {"pieces": [[pieces of a text]], "cpuSeconds": processor time for all}
"""
import json
import os
import sys
import time

# What libraries print must not be taken for an answer.
_answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def answer(message):
    _answers.write(json.dumps(message) + "\n")
    _answers.flush()


def fragments_of(text, chars):
    return [text[at : at + chars] for at in range(0, len(text), chars)]


def serve(split):
    """`split(fragments)` gives the pieces of one text."""
    answer({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        fed = [fragments_of(text, request["fragmentChars"]) for text in request["texts"]]
        started = time.process_time()
        pieces = [split(fragments) for fragments in fed]
        answer({"pieces": pieces, "cpuSeconds": time.process_time() - started})
