"""A PostgreSQL server of its own, from the binaries of the system's packages, with the tables of a
Hive metastore."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from tests.spark_server import HOST, SPARK, free_port, jars_of

DRIVER = "org.postgresql:postgresql:42.7.8"
_USER = "postgres"
_JDO = "org/apache/hadoop/hive/metastore/model/package.jdo"
_SEQUENCES = """
create table "SEQUENCE_TABLE" (
  "SEQUENCE_NAME" varchar(255) not null primary key, "NEXT_VAL" bigint not null
)"""


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL of this machine, if there is one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class Postgres:
    """A metastore that no Spark has seen yet, in a folder that vanishes with it."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        # Not in pytest's folder, into which the server's user, who is not root, can't look.
        self._folder = Path(tempfile.mkdtemp(prefix="ivm-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, _USER, _USER)
        self._data, self.port = self._folder / "data", free_port()
        self._run("initdb", "--auth", "trust", "--username", _USER, "--pgdata", self._data)
        options = f"-p {self.port} -c listen_addresses={HOST} -k {self._folder} -c fsync=off"
        log = self._folder / "log"
        self._run("pg_ctl", "--wait", "--pgdata", self._data, "-l", log, "-o", options, "start")
        at = ("--host", HOST, "--port", str(self.port), "--username", _USER)
        self._run("createdb", *at, "metastore")
        self._create_tables()
        self._run("psql", *at, "--command", _SEQUENCES, "metastore")

    @property
    def settings(self) -> dict[str, str]:
        """`server_side_parameters` of a Spark whose catalog is in it."""
        told = {"datanucleus.schema.autoCreateAll": "false"}
        told |= {"hive.metastore.schema.verification": "false"}
        settings = {f"spark.hadoop.{key}": value for key, value in (self._login | told).items()}
        # Java finds a JDBC driver on its own class path only, not among spark.jars.
        return settings | {"spark.driver.extraClassPath": str(jars_of(DRIVER)[0])}

    @property
    def _login(self) -> dict[str, str]:
        return {
            "javax.jdo.option.ConnectionURL": f"jdbc:postgresql://{HOST}:{self.port}/metastore",
            "javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
            "javax.jdo.option.ConnectionUserName": _USER,
            "javax.jdo.option.ConnectionPassword": "any",
        }

    def _create_tables(self) -> None:
        """As Hive's schematool does elsewhere, whose scripts are not among Spark's jars. Hive's own
        creation at first use waits for itself on PostgreSQL."""
        jars = SPARK / "jars"
        with zipfile.ZipFile(next(jars.glob("hive-metastore-*.jar"))) as archive:
            names = archive.namelist()
            model = self._folder / "package.jdo"
            model.write_bytes(archive.read(_JDO if _JDO in names else "package.jdo"))
        told = {
            "javax.jdo.PersistenceManagerFactoryClass": (
                "org.datanucleus.api.jdo.JDOPersistenceManagerFactory"
            ),
            "datanucleus.identifierFactory": "datanucleus1",
            "datanucleus.rdbms.useLegacyNativeValueStrategy": "true",
            "datanucleus.connectionPoolingType": "None",
        }
        properties = self._folder / "jdo.properties"
        properties.write_text("\n".join(f"{k}={v}" for k, v in (self._login | told).items()))
        path = f"{jars}/*:{jars_of(DRIVER)[0]}"
        tool = ("org.datanucleus.store.schema.SchemaTool", "-create", "-api", "JDO")
        command = ["java", "-cp", path, *tool, "-props", str(properties), str(model)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        self._run("pg_ctl", "--wait", "--pgdata", self._data, "--mode", "immediate", "stop")
        shutil.rmtree(self._folder)

    def _run(self, name: str, *options: str | Path) -> None:
        command = [str(self._binaries / name), *map(str, options)]
        user = _USER if os.geteuid() == 0 else None
        done = subprocess.run(
            command,
            cwd=self._folder,
            user=user,
            group=user,
            extra_groups=[] if user else None,
            stdin=subprocess.DEVNULL,
            # A server that goes on must not hold a pipe.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if done.returncode:
            log = self._folder / "log"
            said = log.read_text()[-2000:] if log.exists() else ""
            raise RuntimeError(f"{' '.join(command)} failed ({done.returncode})\n{said}")
