"""Writes types.parquet and others, whose values the tests read: python write.py, with pyarrow 26."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

time = dt.datetime(2024, 5, 6, 7, 8, 9, 123456)
table = pa.table(
    {
        "half": pa.array(np.array([1.5, -65504, 0.1], np.float16)),
        "time": pa.array([dt.time(7, 8, 9, 123000)] * 3, pa.time32("ms")),
        "fine": pa.array([25689123456789] * 3, pa.time64("ns")),
        "zone": pa.array([time] * 3, pa.timestamp("us", tz="America/New_York")),
        "bytes": pa.array([b"ab", b"\x00\x01", b"c"], pa.binary()),
        "decimal": pa.array([decimal.Decimal(v) for v in ("12.00", "-0.50", "1234567.89")], pa.decimal128(9, 2)),
        "float": pa.array([1234567.89, 1714979289123456.0, 1e-5]),
        "maybe": pa.array([None, 7, None], pa.int64()),
    }
)
pq.write_table(table, "types.parquet", write_statistics=False, store_schema=False)
old = pa.table({"old": pa.array([time, dt.datetime(1969, 12, 31, 23, 59, 59, 500000)], pa.timestamp("us"))})
pq.write_table(old, "int96.parquet", use_deprecated_int96_timestamps=True, write_statistics=False, store_schema=False)

bits = pa.array([v != 5 for v in range(20)])
bools = pa.table({"plain": bits, "some": pa.array([None, True] * 10), "runs": bits})
for version in "1.0", "2.0":
    encoding = {"plain": "PLAIN", "some": "PLAIN", "runs": "RLE"}
    name = "bools" + version[0] + ".parquet"
    pq.write_table(bools, name, data_page_version=version, use_dictionary=False, column_encoding=encoding, row_group_size=12, store_schema=False)
