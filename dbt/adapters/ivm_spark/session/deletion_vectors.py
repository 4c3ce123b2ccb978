"""Takes rows out of a Delta table's files by deletion vectors, as DELETE and MERGE do.

Source: Delta's DeletionVectorBitmapGenerator and DMLWithDeletionVectorsHelper.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.session.jvm import BUFFER, OPTION, java_class, scala_object
from dbt.adapters.ivm_spark.state.rewrite import FILE, PLACE

_VECTORS = "org.apache.spark.sql.delta.commands.DeletionVectorBitmapGenerator"
_HELPER = "org.apache.spark.sql.delta.commands.DMLWithDeletionVectorsHelper"
_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"
_FUNCTIONS = "org.apache.spark.sql.functions"


@dataclass(frozen=True)
class Removal:
    """The removal of rows from a table's files.

    Attributes:
        actions: a Java buffer of the actions that remove them.
        rows: the number of rows that the actions remove.
    """

    actions: Any
    rows: int


def taken_out(
    session: SparkSession, log: Any, transaction: Any, files: Any, places: DataFrame
) -> Removal:
    """Return the removal of rows; the vectors are written, and nothing is committed.

    Args:
        session: of this process, not of a server.
        log: of the table.
        transaction: on the table.
        files: of the table, in the transaction.
        places: the rows, by the columns `FILE` and `PLACE`.
    """
    jvm: Any = session._jvm
    vectors, helper = scala_object(jvm, _VECTORS), scala_object(jvm, _HELPER)
    always = scala_object(jvm, _LITERAL)
    column, some = java_class(jvm, _FUNCTIONS).col, java_class(jvm, OPTION).apply
    marked = vectors.buildRowIndexSetsForFilesMatchingCondition(
        session._jsparkSession,
        transaction,
        True,
        places._jdf,
        files,
        always.TrueLiteral(),
        some(column(FILE)),
        some(column(PLACE)),
    )
    by_name = helper.generateCandidateFileMap(log.dataPath(), files)
    touched = helper.findFilesWithMatchingRows(transaction, by_name, marked)
    actions, rows, now = java_class(jvm, BUFFER)(), 0, int(time.time() * 1000)
    for number in range(touched.size()):
        file = touched.apply(number)
        entry, vector = file.fileLogEntry(), file.newDeletionVector()
        before = entry.deletionVector()
        rows += int(vector.cardinality()) - (0 if before is None else before.cardinality())
        if file.isFullyReplaced():
            actions.append(entry.removeWithTimestamp(now, True))
            continue
        pair = entry.removeRows(vector, True, True)
        actions.append(pair._1())
        actions.append(pair._2())
    return Removal(actions, rows)
