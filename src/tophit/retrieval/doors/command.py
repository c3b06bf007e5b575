"""`command:`: a process that is kept running; a request a line goes in, an answer a line comes out.

A request is the JSON of `Request.to_dict`, an answer a list of places, an object with `retrieved`,
or `{"error": "..."}`. Every question asked at the same time has a process of its own.
"""

from __future__ import annotations

import contextlib
import json
import queue
import shlex
import shutil
import subprocess
import threading
from collections import deque
from typing import Any

from tophit.errors import EndpointError, UsageError
from tophit.retrieval.doors.records import places_in
from tophit.retrieval.protocol import Live, Request

TIME_LIMIT = 60.0
_TAIL = 3


def open_command(written: str, *, documents: str = "", time_limit: float = TIME_LIMIT) -> Live:
    """Open a command as it is typed in a shell. Errors: `UsageError` for one that is not there."""
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise UsageError(f"command {written!r}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise UsageError(f"there is no command {words[0] if words else ''!r}")
    processes = _Processes(words, time_limit)

    def one(request: Request) -> Any:
        answer = processes.ask(request)
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            raise EndpointError(f"{words[0]} says: {answer['error']}")
        return places_in(answer, documents, {}, source=words[0])

    return Live(
        name=words[0].rpartition("/")[2],
        one=one,
        close=processes.close,
        identity=json.dumps(["command", words, documents]),
    )


class _Processes:
    """The processes that wait for a question; a new one is started when there is none."""

    def __init__(self, words: list[str], time_limit: float) -> None:
        self._words, self._limit = words, time_limit
        self._idle: list[_Process] = []

    def ask(self, request: Request) -> Any:
        try:
            process = self._idle.pop()
        except IndexError:
            process = _Process(self._words)
        try:
            answer = process.ask(request, self._limit)
        except BaseException:
            process.close()
            raise
        self._idle.append(process)
        return answer

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class _Process:
    def __init__(self, words: list[str]) -> None:
        self._name = words[0]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise EndpointError(f"{words[0]} cannot be started: {error.strerror}") from error
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._said: deque[str] = deque(maxlen=_TAIL)
        self._listeners = [
            threading.Thread(target=target, daemon=True) for target in (self._read, self._listen)
        ]
        for listener in self._listeners:
            listener.start()

    def ask(self, request: Request, limit: float) -> Any:
        line = json.dumps(request.to_dict(), ensure_ascii=True, default=str)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended; its status is said below
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        try:
            answer = self._lines.get(timeout=limit)
        except queue.Empty:
            raise TimeoutError(f"{self._name} gave no answer within {limit:g} seconds") from None
        if not answer:
            raise EndpointError(self._ended(), passing=True)
        try:
            return json.loads(answer)
        except ValueError:
            shown = answer.decode(errors="replace").strip()
            shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
            raise EndpointError(f"{self._name}: expected a line of JSON, found {shown!r}") from None

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for listener in self._listeners:
            listener.join(timeout=1)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip():
                self._lines.put(line)
        self._lines.put(b"")

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._said.append(line.decode(errors="replace").rstrip())

    def _ended(self) -> str:
        try:
            status: int | str = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            status = "unknown (it closed its output and runs on)"
        self._listeners[1].join(timeout=1)
        said = f": {' / '.join(self._said)}" if self._said else ""
        return f"{self._name} ended with status {status}{said}"
