"""The SQL of a model as a run would compile it, including its ephemeral models; calls of ref."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from dbt.artifacts.resources.v1.components import RefArgs
from dbt.clients.jinja_static import statically_parse_ref_or_source
from dbt.compilation import Compiler
from dbt.exceptions import ParsingError
from dbt_common.exceptions import CompilationError


def compiled(config: Any, manifest: Any, unique_id: str) -> str:
    """Return the compiled SQL of a model of the manifest.

    If this run has compiled the model, dbt has the SQL. Otherwise dbt's own compiler compiles a
    copy of the model. Raises CompilationError for a Python model.
    """
    node = manifest.nodes[unique_id]
    if str(node.language) != "sql":
        raise CompilationError(f"Model {unique_id}: it is written in {node.language}, not in SQL.")
    if not (node.compiled and node.extra_ctes_injected):
        node = Compiler(config).compile_node(deepcopy(node), manifest, write=False)
    return str(node.compiled_code)


def called(text: str) -> tuple[str, ...] | None:
    """Return the arguments of a text that calls ref or source, None for another text.

    They are empty for a ref with a version.
    """
    try:
        parsed = statically_parse_ref_or_source(text)
    except ParsingError:
        return None
    if not isinstance(parsed, RefArgs):
        return tuple(parsed)
    if parsed.version is not None:
        return ()
    return (parsed.package, parsed.name) if parsed.package else (parsed.name,)
