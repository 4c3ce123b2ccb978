"""The session settings on which the rows of a query may depend.

Every setting of Spark SQL that differs from Spark's default counts, unless it is known to change
no row.
"""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.source.reader import RESOLVED

_PREFIX = "spark.sql."
_STATIC = ("spark.sql.extensions",)
"""Settings of a whole Spark application, which no view stores."""

HARMLESS: Mapping[str, str] = {
    "spark.sql.adaptive.": "how a plan is executed",
    "spark.sql.shuffle": "how a plan is executed",
    "spark.sql.autoBroadcastJoinThreshold": "how a plan is executed",
    "spark.sql.broadcastTimeout": "how a plan is executed",
    "spark.sql.maxBroadcastTableSize": "how a plan is executed",
    "spark.sql.maxSinglePartitionBytes": "how a plan is executed",
    "spark.sql.leafNodeDefaultParallelism": "how a plan is executed",
    "spark.sql.join.": "how a plan is executed",
    "spark.sql.codegen.": "how a plan is executed",
    "spark.sql.cbo.": "how a plan is chosen",
    "spark.sql.statistics.": "how a plan is chosen",
    "spark.sql.optimizer.": "rewrites that keep a query's rows",
    "spark.sql.bucketing.": "how a plan is executed",
    "spark.sql.sources.bucketing.": "how a plan is executed",
    "spark.sql.sources.v2.bucketing.": "how a plan is executed",
    "spark.sql.files.max": "how files are split for reading and writing",
    "spark.sql.files.min": "how files are split for reading and writing",
    "spark.sql.files.openCostInBytes": "how files are split for reading and writing",
    "spark.sql.sources.parallelPartitionDiscovery.": "how files are listed",
    "spark.sql.parquet.enableVectorizedReader": "how files are read",
    "spark.sql.parquet.enableNestedColumnVectorizedReader": "how files are read",
    "spark.sql.parquet.columnarReaderBatchSize": "how files are read",
    "spark.sql.parquet.filterPushdown": "how files are read",
    "spark.sql.parquet.compression.codec": "how files are written",
    "spark.sql.orc.": "of sources that are not Delta tables",
    "spark.sql.avro.": "of sources that are not Delta tables",
    "spark.sql.csv.": "of sources that are not Delta tables",
    "spark.sql.cache.": "caching",
    "spark.sql.defaultCacheStorageLevel": "caching",
    "spark.sql.inMemoryColumnarStorage.": "caching",
    "spark.sql.metadataCacheTTLSeconds": "caching",
    "spark.sql.session.localRelation": "caching",
    "spark.sql.ui.": "what people are shown",
    "spark.sql.cli.": "what people are shown",
    "spark.sql.repl.": "what people are shown",
    "spark.sql.debug.": "what people are shown",
    "spark.sql.error.": "what people are shown",
    "spark.sql.event.": "what people are shown",
    "spark.sql.redaction.": "what people are shown",
    "spark.sql.maxPlanStringLength": "what people are shown",
    "spark.sql.maxMetadataStringLength": "what people are shown",
    "spark.sql.extendedExplainProviders": "what people are shown",
    "spark.sql.stackTracesInDataFrameContext": "what people are shown",
    "spark.sql.queryExecutionListeners": "who listens",
    "spark.sql.streaming.": "streaming queries",
    "spark.sql.pipelines.": "declarative pipelines",
    "spark.sql.thriftServer.": "how clients are served",
    "spark.sql.thriftserver.": "how clients are served",
    "spark.sql.connect.": "how clients are served",
    "spark.sql.classic.": "how clients are served",
    "spark.sql.artifact.": "how clients are served",
    "spark.sql.pyspark.": "how Python is served; Python functions are never maintained",
    "spark.sql.execution.": "how Python is served; Python functions are never maintained",
    "spark.sql.planner.": "how Python is served; Python functions are never maintained",
    "spark.sql.warehouse.": "where tables are; a refresh compares their ids",
    "spark.sql.catalogImplementation": "where tables are; a refresh compares their ids",
    "spark.sql.catalog.": "where tables are; a refresh compares their ids",
    "spark.sql.defaultCatalog": "where tables are; a refresh compares their ids",
    "spark.sql.hive.": "where tables are; a refresh compares their ids",
    "spark.sql.maven.": "where jars are",
    "spark.sql.sources.default": "how tables are created",
    "spark.sql.sources.partitionOverwriteMode": "how tables are overwritten",
    "spark.sql.legacy.storeAnalyzedPlanForView": "how temporary views are kept",
}
"""Settings, and prefixes of settings, that change no row of a query, each with the reason."""

DEFAULTS: Mapping[str, str] = {
    "spark.sql.allowNamedFunctionArguments": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.charAsVarchar": "false",
    "spark.sql.columnNameOfCorruptRecord": "_corrupt_record",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.datetime.java8API.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreInvalidPartitionPaths": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.function.concatBinaryAsString": "false",
    "spark.sql.function.eltOutputAsString": "false",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.jsonGenerator.ignoreNullFields": "true",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.parquet.outputTimestampType": "INT96",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.pivotMaxValues": "10000",
    "spark.sql.preserveCharVarcharTypeInfo": "false",
    "spark.sql.readSideCharPadding": "true",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.variable.substitute": "true",
}
"""Spark's defaults that are the same in every version that this package supports. Setting one of
these to its default changes nothing. Any other setting counts once it is set."""

REGEX_COLUMNS = "spark.sql.parser.quotedRegexColumnNames"
"""Under this setting a quoted name is a pattern, and this package quotes every name in its SQL."""


def result_settings(session: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a session that may change a query's rows.

    These are the settings of Spark SQL that differ from their defaults, and the time zone.
    """
    return {
        key: value
        for key, value in session.items()
        if key.startswith(_PREFIX)
        and not key.startswith(tuple(HARMLESS))
        and value.lower() != DEFAULTS.get(key, "\0").lower()
    }


def differing(view: Mapping[str, str], session: Mapping[str, str]) -> list[str]:
    """Return the settings that may change rows and that a view has otherwise than the session.

    Spark reads a view's text under the settings that it was created under, and no others. `session`
    includes `RESOLVED`, which a view may store.

    Source: `View.effectiveSQLConf` of Spark.
    """
    kept, current = result_settings(view), result_settings(session)
    keys = kept.keys() | (current.keys() - set(_STATIC))
    unknown = set(RESOLVED) - view.keys()
    return sorted(k for k in keys - unknown if kept.get(k) != current.get(k))
