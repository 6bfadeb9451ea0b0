"""A data source of Spark that provhouse does not know, such as Hudi's, without its real jar."""

import subprocess
from pathlib import Path
from zipfile import ZipFile

from provhouse.capturing.jar import spark_jars
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

_SOURCE = """
package foreign;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import scala.collection.immutable.Map;

public final class Source implements CreatableRelationProvider, DataSourceRegister {
  public String shortName() {
    return "NAME";
  }

  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, Map<String, String> options, Dataset<Row> rows) {
    throw new IllegalStateException("It writes");
  }
}
"""
_REGISTER = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"


def source_jar(name: str, folder: Path) -> Path:
    """Return a jar with a data source whose short name is ``name``; every write to it fails."""
    fetch(Silent(), ("compiler",))
    (compiler,) = jar_folder("compiler").glob("*.jar")
    source = folder / "Source.java"
    source.write_text(_SOURCE.replace("NAME", name))
    subprocess.run(
        [java(), "-jar", compiler, "--release", "17", "-nowarn", "-classpath",
         ":".join(map(str, spark_jars().glob("*.jar"))), "-d", folder, source],
        check=True,
    )  # fmt: skip
    jar = folder / f"{name}.jar"
    with ZipFile(jar, "w") as packed:
        packed.write(folder / "foreign" / "Source.class", "foreign/Source.class")
        packed.writestr(_REGISTER, "foreign.Source\n")
    return jar
