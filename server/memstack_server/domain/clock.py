"""Moments and microseconds since 1970, by whole numbers: a float of today's date cannot tell all microseconds apart."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def moment(since_epoch: int) -> datetime:
    return _EPOCH + since_epoch * _MICROSECOND
