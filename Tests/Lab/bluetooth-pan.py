# SPDX-License-Identifier: Apache-2.0
"""Connects two Bluetooth controllers of this machine to a network, until it is ended.

Python's support for Bluetooth sockets is optional, so this calls the C library.
"""
import ctypes
import os
import struct
import threading
import time

AF_BLUETOOTH = 31
SOCK_RAW, SOCK_SEQPACKET = 3, 5
L2CAP, HCI, BNEP = 0, 1, 4
HCIDEVUP, HCIGETDEVINFO, HCISETSCAN = 0x400448C9, 0x800448D3, 0x400448DD
BNEPCONNADD = 0x400442C8
PSM_BNEP = 15

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, attempt):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{attempt}: {os.strerror(number)}")
    return result


def new_socket(kind, protocol):
    return checked(libc.socket(AF_BLUETOOTH, kind, protocol), "socket")


def call(fd, request, argument):
    checked(libc.ioctl(fd, ctypes.c_ulong(request), argument), f"ioctl {request:#x}")


def address(controller, psm):
    return struct.pack("=HH6sHBx", AF_BLUETOOTH, psm, controller, 0, 0)


def start(control, number):
    """Brings a controller up and makes it discoverable; returns its address."""
    try:
        call(control, HCIDEVUP, ctypes.c_ulong(number))
    except OSError as error:
        if error.errno != 114:  # EALREADY: it is up.
            raise
    info = ctypes.create_string_buffer(92)
    struct.pack_into("=H", info, 0, number)
    call(control, HCIGETDEVINFO, info)
    call(control, HCISETSCAN, struct.pack("=HxxI", number, 3))
    return info.raw[10:16]


control = new_socket(SOCK_RAW, HCI)
here, there = start(control, 0), start(control, 1)

listener = new_socket(SOCK_SEQPACKET, L2CAP)
name = address(there, PSM_BNEP)
checked(libc.bind(listener, name, len(name)), "bind")
checked(libc.listen(listener, 1), "listen")
accepted = []
waiter = threading.Thread(target=lambda: accepted.append(libc.accept(listener, None, None)), daemon=True)
waiter.start()

caller = new_socket(SOCK_SEQPACKET, L2CAP)
name = address(here, 0)
checked(libc.bind(caller, name, len(name)), "bind")
name = address(there, PSM_BNEP)
checked(libc.connect(caller, name, len(name)), "connect")
waiter.join(10)

networks = new_socket(SOCK_RAW, BNEP)
# The access point of the network and its client.
for connection, role in ((accepted[0], 0x1116), (caller, 0x1115)):
    request = struct.pack("=iIH16sxx", connection, 0, role, b"bnep%d")
    call(networks, BNEPCONNADD, ctypes.create_string_buffer(request, len(request)))
while True:
    time.sleep(60)
