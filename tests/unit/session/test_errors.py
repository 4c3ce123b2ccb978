from types import SimpleNamespace

import pytest

from dbt.adapters.ivm_spark.session.errors import best_message, chain, clean_message, error_message

NOT_FOUND = "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nope` cannot be found. SQLSTATE: 42P01"
STACK = "\n\tat org.apache.spark.sql.Dataset.ofRows(Dataset.scala:1)\n\t... 21 more"


@pytest.mark.parametrize(
    ("said", "means"),
    [
        pytest.param(
            f"{NOT_FOUND}; line 1 pos 14;\n'Project [*]\n+- 'UnresolvedRelation [nope]\n",
            f"{NOT_FOUND}; line 1 pos 14",
            id="plan",
        ),
        pytest.param(
            "org.apache.hive.service.cli.HiveSQLException: Error running query: "
            "[TABLE_OR_VIEW_NOT_FOUND] org.apache.spark.sql.AnalysisException: "
            f"{NOT_FOUND}; line 1 pos 14;\n'Project [*]\n{STACK}",
            f"{NOT_FOUND}; line 1 pos 14",
            id="thrift",
        ),
        pytest.param(
            "Job aborted due to stage failure: Task 0 in stage 5.0 failed 1 times, most recent "
            "failure: Lost task 0.0 in stage 5.0 (TID 12) (localhost executor driver): "
            f"org.apache.spark.SparkRuntimeException: [USER_RAISED_EXCEPTION] boom{STACK}"
            "\n\nDriver stacktrace:",
            "[USER_RAISED_EXCEPTION] boom",
            id="lost task",
        ),
        pytest.param(
            "[DIVIDE_BY_ZERO] Division by zero.\n== SQL (line 1, position 8) ==\nselect 1/0\n"
            f"       ^^^\n\nJVM stacktrace:\norg.apache.spark.SparkArithmeticException{STACK}",
            "[DIVIDE_BY_ZERO] Division by zero.\n== SQL (line 1, position 8) ==\nselect 1/0\n"
            "       ^^^",
            id="query context stays",
        ),
        pytest.param("java.io.IOException: disk full", "disk full", id="class"),
        pytest.param("  plain text ", "plain text", id="plain"),
    ],
)
def test_clean_message(said: str, means: str) -> None:
    assert clean_message(said) == means


@pytest.mark.parametrize(
    ("causes", "message"),
    [
        (["[A_CONDITION] outer", "[B_CONDITION] inner"], "[A_CONDITION] outer"),
        (
            ["Job aborted.", "[TASK_WRITE_FAILED] x", "[CAST_INPUT] y"],
            "[CAST_INPUT] y",
        ),
        (["Call failed", "java.net.ConnectException: refused"], "Call failed\nCause: refused"),
        (["wrapped: refused", "refused"], "wrapped: refused"),
        (["Job aborted."], "Job aborted."),
        (
            ["[INTERNAL_ERROR] You hit a bug in Spark", f"assertion failed{STACK}"],
            "[INTERNAL_ERROR] You hit a bug in Spark\nCause: assertion failed "
            "(at org.apache.spark.sql.Dataset.ofRows(Dataset.scala:1))",
        ),
        (["[INTERNAL_ERROR] x"], "[INTERNAL_ERROR] x"),
        (["[INTERNAL_ERROR] x", "java.lang.E"], "[INTERNAL_ERROR] x\nCause: java.lang.E"),
        ([], ""),
    ],
)
def test_best_message(causes: list[str], message: str) -> None:
    assert best_message(causes) == message


def test_a_locked_catalog_says_what_to_do() -> None:
    message = best_message(
        [
            "java.lang.RuntimeException: Unable to instantiate SessionHiveMetaStoreClient",
            "Another instance of Derby may have already booted the database /x/metastore_db.",
        ]
    )
    assert "one process at a time" in message


def test_a_query_too_deep_for_spark_says_what_to_do() -> None:
    message = best_message(["java.lang.StackOverflowError"])
    assert "nested too deep" in message
    assert "-Xss" in message


def test_a_catalog_that_does_not_answer_says_what_to_do() -> None:
    message = best_message(["Error occurred while processing GET request", "Read timed out"])
    assert "Cause: Read timed out\nThe server of an Iceberg REST catalog" in message


class JavaError:
    def __init__(self, message: str | None, cause: "JavaError | None" = None) -> None:
        self.message, self.cause = message, cause

    def getMessage(self) -> str | None:
        return self.message

    def getCause(self) -> "JavaError | None":
        return self.cause

    def toString(self) -> str:
        return "java.lang.NullPointerException"

    def getStackTrace(self) -> list["Frame"]:
        return [Frame()]


class Frame:
    def toString(self) -> str:
        return "org.apache.spark.A.b(A.scala:7)"


def test_a_java_error_is_read_through_its_causes() -> None:
    error = RuntimeError("An error occurred while calling o65.sql.")
    error.java_exception = JavaError("Job aborted.", JavaError("[DELTA_X] y"))  # type: ignore[attr-defined]
    assert error_message(error) == "[DELTA_X] y"


def test_a_java_error_without_a_message_has_its_class() -> None:
    error = RuntimeError("o65")
    error.java_exception = JavaError(None)  # type: ignore[attr-defined]
    assert error_message(error) == "java.lang.NullPointerException"


def test_an_internal_error_has_its_cause_and_place() -> None:
    error = RuntimeError("o65")
    error.java_exception = JavaError("[INTERNAL_ERROR] bug", JavaError(None))  # type: ignore[attr-defined]
    assert error_message(error) == (
        "[INTERNAL_ERROR] bug\nCause: java.lang.NullPointerException "
        "(at org.apache.spark.A.b(A.scala:7))"
    )


def test_what_a_connect_server_says_is_read_through_its_causes() -> None:
    error = RuntimeError("Error occurred")
    error._stacktrace = f"a.RestException{STACK}\nCaused by: java.net.ConnectException: no{STACK}"  # type: ignore[attr-defined]
    assert error_message(error) == "Error occurred\nCause: no"


def test_what_a_thrift_server_says_is_read_through_its_causes() -> None:
    said = (
        "org.apache.hive.service.cli.HiveSQLException: Error running query: "
        "org.apache.spark.SparkException: Job aborted due to stage failure.\n"
        "\tat org.apache.spark.X.run(X.scala:1)\n"
        "Caused by: org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] x\n"
        "\tat org.apache.spark.Y.run(Y.scala:1)\n\t... 3 more"
    )
    assert best_message(chain(said)) == "[DIVIDE_BY_ZERO] x"


def test_a_hint_is_given_once() -> None:
    once = best_message(["java.lang.OutOfMemoryError: Java heap space"])
    assert "spark.driver.memory" in once
    assert best_message([once]) == once


def test_a_message_of_spark_connect_has_no_class() -> None:
    said = "(org.apache.spark.sql.delta.DeltaAnalysisException) [DELTA_X] y"
    assert best_message([said]) == "[DELTA_X] y"


def test_a_thrift_response() -> None:
    status = SimpleNamespace(
        status=SimpleNamespace(errorMessage=f"Error running query: {NOT_FOUND}")
    )
    assert error_message(RuntimeError(status)) == NOT_FOUND


def test_an_error_without_text_has_its_class() -> None:
    assert error_message(KeyError()) == "KeyError"


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(111, "refused"), type("Py4JNetworkError", (Exception,), {})()]
)
def test_a_spark_that_has_ended(error: Exception) -> None:
    message = error_message(error)
    assert "Spark's process has ended" in message
    assert "spark.driver.memory" in message
    assert "run dbt again" in message
