"""Instants as the scheduler writes them (RFC 3339, UTC), as whole microseconds since 1970."""

import datetime
import time

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)


def now_us():
    """The wall clock of this machine, the one that the server under test reads too."""
    return time.time_ns() // 1000


def parse(text):
    """Microseconds of "2026-03-29T01:00:00.25Z"; up to six digits of a fraction."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    at = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return (at - _EPOCH) // _MICROSECOND + int((fraction + "000000")[:6])


def show(micros):
    """The text of an instant, always with six digits."""
    return (_EPOCH + micros * _MICROSECOND).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
