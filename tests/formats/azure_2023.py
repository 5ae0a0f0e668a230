"""Azure's LLM inference traces of 2023: requests with a time and counts; each is a conversation of its own."""

from datetime import datetime

from teltheory.formats import Format
from teltheory.formats.format import has
from teltheory.formats.requests import RequestColumns, whole_inputs

START = datetime(2023, 11, 16)


def read(source):
    requests = RequestColumns()
    for record in source.records():
        seconds = (datetime.fromisoformat(record.needed("TIMESTAMP")[:26]) - START).total_seconds()
        requests.add(len(requests), record.whole("ContextTokens"), record.whole("GeneratedTokens"), seconds)
    return whole_inputs(requests, "azure-2023")


FIELDS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
AZURE = Format("azure-2023", FIELDS, has(*FIELDS), read, dated=True)
