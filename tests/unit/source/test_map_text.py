"""Maps as a Thrift server writes them, whatever stands in Delta's parameters."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.source.map_text import map_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", {}),
        ('{"numOutputRows":"3"}', {"numOutputRows": "3"}),
        (
            '{"mode":"Append","partitionBy":"[]","statsOnLoad":"false"}',
            {"mode": "Append", "partitionBy": "[]", "statsOnLoad": "false"},
        ),
        (
            '{"properties":"{"delta.enableChangeDataFeed":"true","a":"b\\"c"}","isManaged":"true"}',
            {
                "properties": '{"delta.enableChangeDataFeed":"true","a":"b\\"c"}',
                "isManaged": "true",
            },
        ),
        (
            '{"predicate":"["(k#1 = \'},\\"a\\":\\"[\')"]","mode":"Overwrite"}',
            {"predicate": '["(k#1 = \'},\\"a\\":\\"[\')"]', "mode": "Overwrite"},
        ),
        ('{"description":"a "b", c","isManaged":null}', {"description": 'a "b", c'}),
        (
            '{"description":"[not json","mode":"Append"}',
            {"description": "[not json", "mode": "Append"},
        ),
        ('{"description":"","mode":"Append"}', {"description": "", "mode": "Append"}),
    ],
)
def test_a_map_is_read_from_its_text(text: str, found: dict[str, str]) -> None:
    assert map_of(text) == found


@pytest.mark.parametrize(
    "text",
    [
        '{"predicate":"x","mode":"Append","mode":"Overwrite"}',
        '{"mode":"Append"',
        '{"mode":Append}',
        "",
        "mode",
        '{"mode":"Append"} ',
    ],
)
def test_an_ambiguous_or_broken_map_is_not_read(text: str) -> None:
    assert map_of(text) is None
