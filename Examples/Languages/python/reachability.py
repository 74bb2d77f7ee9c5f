# SPDX-License-Identifier: Apache-2.0
"""Network reachability on Linux, with the reason: a binding of libreachability for asyncio.

    import asyncio, reachability

    print(reachability.status("10.9.0.1"))

    async def main():
        async for status in reachability.changes("example.com"):
            print(status.state, status.reason, status.interface)

    asyncio.run(main())

From a command line: python3 -m reachability TARGET…
"""

import asyncio
import ctypes
import os
from typing import AsyncIterator, NamedTuple, Optional

_library = ctypes.CDLL(os.environ.get("LIBREACHABILITY", "libreachability.so.0"))


class _Interface(ctypes.Structure):
    _fields_ = [
        ("index", ctypes.c_uint32),
        ("kind", ctypes.c_int),
        ("is_tunnel", ctypes.c_int32),
        ("name", ctypes.c_char * 48),
    ]


class _Status(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("flags", ctypes.c_uint32),
        ("reason", ctypes.c_char_p),
        ("reason_text", ctypes.c_char_p),
        ("interface", _Interface),
        ("gateway", ctypes.c_char * 46),
        ("source", ctypes.c_char * 46),
    ]

    def __init__(self):
        super().__init__(size=ctypes.sizeof(_Status))


class _Constraints(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("interface", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("mark", ctypes.c_uint32),
    ]


def _declare(name, result, *arguments):
    function = getattr(_library, "reachability_" + name)
    function.restype, function.argtypes = result, arguments
    return function


_handle = ctypes.c_void_p
_last_error = _declare("last_error", ctypes.c_int)
_last_error_text = _declare("last_error_text", ctypes.c_char_p)
_free = _declare("free", None, ctypes.c_void_p)
_shared = _declare("monitor_shared", _handle)
_target_create = _declare("target_create", _handle, ctypes.c_char_p, ctypes.POINTER(_Constraints))
_target_destroy = _declare("target_destroy", ctypes.c_int, _handle)
_wait_until_known = _declare(
    "wait_until_known", ctypes.c_int, _handle, _handle, ctypes.c_int64, ctypes.POINTER(_Status))
_explain = _declare("explain", ctypes.c_void_p, _handle, _handle, ctypes.c_int)
_queue_create = _declare("queue_create", _handle)
_queue_destroy = _declare("queue_destroy", ctypes.c_int, _handle)
_queue_descriptor = _declare("queue_descriptor", ctypes.c_int, _handle)
_queue_observe = _declare(
    "queue_observe", _handle, _handle, _handle, _handle, ctypes.c_int64, ctypes.c_void_p)
_queue_next = _declare("queue_next", _handle, _handle, ctypes.POINTER(ctypes.c_void_p))
_take_status = _declare(
    "take_status", ctypes.c_int, _handle, ctypes.POINTER(_Status), ctypes.POINTER(_Status))

UNKNOWN, NOT_REACHABLE, REACHABLE = "unknown", "notReachable", "reachable"
_states = [UNKNOWN, NOT_REACHABLE, REACHABLE]


class ReachabilityError(Exception):
    """A failed call, with the code of reachability_error."""

    def __init__(self):
        self.code = _last_error()
        super().__init__(_last_error_text().decode())


class Status(NamedTuple):
    """Whether packets can leave this machine for a target, and if not, why not."""

    state: str
    reason: Optional[str]
    reason_text: Optional[str]
    interface: Optional[str]
    gateway: Optional[str]
    source: Optional[str]


def _status(raw):
    def text(value):
        return value.decode("utf-8", "replace") if value else None

    return Status(
        _states[raw.state], text(raw.reason), text(raw.reason_text), text(raw.interface.name),
        text(raw.gateway), text(raw.source))


class _Target:
    def __init__(self, text, interface=None, source=None, mark=0):
        def encoded(value):
            return None if value is None else os.fsencode(str(value))

        constraints = _Constraints(ctypes.sizeof(_Constraints), encoded(interface), encoded(source), mark)
        self.handle = _target_create(encoded(text), constraints)
        if not self.handle:
            raise ReachabilityError

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        _target_destroy(self.handle)


def status(target: str, timeout: Optional[float] = None, **constraints) -> Status:
    """Return the status of a target; wait for the lookup of a host name, for some seconds at most.

    The constraints are interface, source and mark.
    """
    raw = _Status()
    with _Target(target, **constraints) as handle:
        if _wait_until_known(_shared(), handle, -1 if timeout is None else int(timeout * 1000), raw):
            raise ReachabilityError
    return _status(raw)


def explain(target: str, **constraints) -> str:
    """Return what decides the status of a target, a line for each fact, with problems and advice."""
    with _Target(target, **constraints) as handle:
        text = _explain(_shared(), handle, 0)
    if not text:
        raise ReachabilityError
    try:
        return ctypes.string_at(text).decode("utf-8", "replace")
    finally:
        _free(text)


async def changes(target: str, settling: float = 0, **constraints) -> AsyncIterator[Status]:
    """Yield the current status of a target, then each change; while the loop is busy, only the newest is kept."""
    loop, ready, queue = asyncio.get_running_loop(), asyncio.Event(), _queue_create()
    if not queue:
        raise ReachabilityError
    descriptor = _queue_descriptor(queue)
    loop.add_reader(descriptor, ready.set)
    try:
        with _Target(target, **constraints) as handle:
            if not _queue_observe(queue, _shared(), handle, int(settling * 1000), None):
                raise ReachabilityError
        raw = _Status()
        while True:
            await ready.wait()
            ready.clear()
            observation = _queue_next(queue, None)
            if observation and _take_status(observation, raw, None) == 0:
                yield _status(raw)
    finally:
        loop.remove_reader(descriptor)
        _queue_destroy(queue)


async def _print(target):
    async for value in changes(target):
        print(target, value.state, value.reason or value.interface or "", flush=True)


async def _main(targets):
    await asyncio.gather(*map(_print, targets))


if __name__ == "__main__":
    import sys

    try:
        asyncio.run(_main(sys.argv[1:] or ["default"]))
    except KeyboardInterrupt:
        pass
    except ReachabilityError as error:
        sys.exit(f"error: {error}")
