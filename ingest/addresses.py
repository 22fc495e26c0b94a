"""Addresses of hosts: where a name leads, and what lies inside a network."""

import ipaddress
import socket

# Of names that were looked at before anything was sent: the private addresses that they led to then.
known_inside: dict[str, frozenset[str]] = {}


def addresses_of(name: str) -> list[str]:
    """Return the addresses to which a name leads. Raises OSError or UnicodeError."""
    found = socket.getaddrinfo(name, None, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


def is_address(name: str) -> bool:
    """Say whether a name is an address itself."""
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def is_inside(address: str) -> bool:
    """Say whether an address is this machine's or a private network's. Raises ValueError where it is none.

    >>> is_inside("8.8.8.8"), is_inside("10.0.0.1"), is_inside("::ffff:127.0.0.1")
    (False, True, True)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found.sixtofour or found
    return not found.is_global
