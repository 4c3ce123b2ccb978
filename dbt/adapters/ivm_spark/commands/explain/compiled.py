"""The SQL of a model as a run would compile it, including its ephemeral models."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from dbt.compilation import Compiler
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
