"""`python -m tests.network COMMAND …`: run a command, and count the packets that would leave.

The command runs in a network namespace of its own (Linux; as root, or where users may make
namespaces). Its one way out, with a default route and the only name server behind it, leads
nowhere: what is sent there is counted. Before the command starts, one packet is sent on purpose, to
see that it is counted. The status is 3 where something was sent, 4 where packets are not counted
as they should be, 77 where no namespace can be made here, and otherwise the command's.

    python -m tests.network .venv/bin/python -m tests.network.round     pages and commands of a day
    python -m tests.network .venv/bin/python -m pytest -q               all tests
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

INSIDE = "--inside"
DEVICE, PEER = "outside", "nowhere"
# Of TEST-NET-1 (RFC 5737), which is nobody's.
OWN, SOMEWHERE = "192.0.2.1", "192.0.2.53"
OWN_6 = "2001:db8::1"  # of the prefix for documentation (RFC 3849)
SENT, REFUSED = 3, 4
SKIPPED = 77  # as in the test suites of Automake
ETH_P_ALL, MOST_SHOWN = 3, 20
KERNELS_OWN = ("Icmp6OutMLDv2Reports", "Icmp6OutRouterSolicits", "Icmp6OutNeighborSolicits")
RESOLVER = Path("/etc/resolv.conf")


def main(arguments: Sequence[str]) -> int:
    """Run a command in a namespace, or, in there, set it up and count."""
    if arguments[:1] == [INSIDE]:
        return _counted(arguments[1:])
    if why := obstacle():
        sys.stderr.write(f"skipped, as packets cannot be counted here: {why}\n")
        return SKIPPED
    done = subprocess.run([*namespace(), sys.executable, "-m", __spec__.name, INSIDE, *arguments])
    return done.returncode


def namespace() -> list[str]:
    """The beginning of a command line that runs the rest in a namespace of its own."""
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *as_root, "--net", "--mount"]


def obstacle() -> str:
    """Why no command can be run in a namespace here; "" where one can."""
    if not all(map(shutil.which, ("unshare", "ip", "mount"))):
        return "unshare, ip or mount is missing (util-linux and iproute2, Linux alone)"
    tried = subprocess.run([*namespace(), "true"], capture_output=True, text=True, check=False)
    reason = tried.stderr.strip()
    return "" if tried.returncode == 0 else f"no network namespace can be made ({reason})"


def _counted(command: Sequence[str]) -> int:
    if not _set_up():
        return REFUSED
    before = packets()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deliberate:
        deliberate.sendto(b"counted", (SOMEWHERE, 9))
    start = packets()
    if start != before + 1:
        sys.stderr.write(f"one packet was sent and {start - before} were counted\n")
        return REFUSED
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as listening:
        listening.bind((PEER, ETH_P_ALL))
        listening.setblocking(False)
        status = subprocess.run(command, check=False).returncode
        left = packets() - start
        sys.stderr.write(f"packets that would have left: {left}\n")
        for packet, number in Counter(_heard(listening)).most_common(MOST_SHOWN):
            sys.stderr.write(f"{number:6d} {packet}\n")
    return SENT if left else status


def _heard(listening: socket.socket) -> Iterator[str]:
    """Where each packet was sent, as far as they were kept, and what of it can be read."""
    while True:
        try:
            packet = listening.recv(2048)
        except BlockingIOError:
            return
        is_ipv6 = packet[0] >> 4 == 6
        start, address, next_header = (40, 24, 6) if is_ipv6 else (20, 16, 9)
        kind = socket.AF_INET6 if is_ipv6 else socket.AF_INET
        where = socket.inet_ntop(kind, packet[address : address + (16 if is_ipv6 else 4)])
        has_port = packet[next_header] in (socket.IPPROTO_TCP, socket.IPPROTO_UDP)
        port = int.from_bytes(packet[start + 2 : start + 4]) if has_port else 0
        words = re.findall(rb"[\w.-]{3,}", packet[start + 20 :])
        yield f"{where} port {port} {b'.'.join(words[:6]).decode()}"


def _set_up() -> bool:
    """Bring the loopback up, and lay the way out that leads nowhere."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as resolver:
        resolver.write(f"nameserver {SOMEWHERE}\n")
        resolver.flush()
        commands = (
            "ip link set lo up",
            # A pair, as some kernels have no device of the kind `dummy`.
            f"ip link add {DEVICE} type veth peer name {PEER}",
            f"ip link set {DEVICE} addrgenmode none",
            f"ip link set {PEER} addrgenmode none",
            f"ip link set {PEER} arp off up",
            f"ip link set {DEVICE} arp off up",
            f"ip address add {OWN}/32 dev {DEVICE}",
            f"ip route add default dev {DEVICE}",
            f"ip -6 address add {OWN_6}/128 dev {DEVICE} nodad",
            f"ip -6 route add default dev {DEVICE}",
            f"mount --bind {resolver.name} {RESOLVER.resolve()}",
        )
        return all(
            subprocess.run(command.split(), check=False).returncode == 0 for command in commands
        )


def packets() -> int:
    """How many packets were sent on the way out, but for what the kernel says of its addresses."""
    lines = Path("/proc/net/dev").read_text("ascii").splitlines()
    sent = next(line.split()[10] for line in lines if line.strip().startswith(f"{DEVICE}:"))
    counts = dict(
        line.split() for line in Path("/proc/net/dev_snmp6", DEVICE).read_text("ascii").splitlines()
    )
    return int(sent) - sum(int(counts.get(name, 0)) for name in KERNELS_OWN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
