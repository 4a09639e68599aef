"""kokoro-pi's own rewrites of the graph, with its native operator: build_kokoro_pi.py SOURCE FOLDER.

Writes FOLDER/kokoro-fused.onnx and the operators' library beside it; refuses a graph that the rewrites do not fit.
"""
import pathlib
import shutil
import sys

import onnx
from kokoro_pi import graph, paths

source, folder = sys.argv[1:]
model, counts = graph.optimise(onnx.load(source))
if not all(counts.values()):
    sys.exit(f"kokoro-pi's rewrites do not fit this graph: {counts}")
library = paths.prebuilt_library()
if library is None:
    sys.exit("kokoro-pi has no operators for this machine")
shutil.copyfile(library, pathlib.Path(folder) / paths.LIBRARY)
onnx.save(model, str(pathlib.Path(folder) / "kokoro-fused.onnx"))
