package ivmtests;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.StagingTableCatalog;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalogCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog of Delta tables beside Spark's own, as Unity Catalog's connector is one: it has schemas
 * of its own and no views. Its schema `s` is the schema `second_s` of Spark's own catalog.
 */
public class SecondCatalog implements StagingTableCatalog, SupportsNamespaces {
  private static final String PREFIX = "second_";
  private String name;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  private static StagingTableCatalog own() {
    return (StagingTableCatalog)
        SparkSession.active().sessionState().catalogManager().v2SessionCatalog();
  }

  private static SupportsNamespaces schemas() {
    return (SupportsNamespaces) own();
  }

  private static String[] in(String[] namespace) {
    return Arrays.stream(namespace).map(part -> PREFIX + part).toArray(String[]::new);
  }

  private static Identifier in(Identifier ident) {
    return Identifier.of(in(ident.namespace()), ident.name());
  }

  @Override
  public Set<TableCatalogCapability> capabilities() {
    return own().capabilities();
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    return Arrays.stream(own().listTables(in(namespace)))
        .map(ident -> Identifier.of(namespace, ident.name()))
        .toArray(Identifier[]::new);
  }

  @Override
  public Table loadTable(Identifier ident) throws NoSuchTableException {
    return own().loadTable(in(ident));
  }

  @Override
  public Table loadTable(Identifier ident, String version) throws NoSuchTableException {
    return own().loadTable(in(ident), version);
  }

  @Override
  public Table loadTable(Identifier ident, long timestamp) throws NoSuchTableException {
    return own().loadTable(in(ident), timestamp);
  }

  @Override
  public Table createTable(
      Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    return own().createTable(in(ident), columns, partitions, properties);
  }

  @Override
  public StagedTable stageCreate(
      Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    return own().stageCreate(in(ident), columns, partitions, properties);
  }

  @Override
  public StagedTable stageReplace(
      Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties)
      throws NoSuchTableException, NoSuchNamespaceException {
    return own().stageReplace(in(ident), columns, partitions, properties);
  }

  @Override
  public StagedTable stageCreateOrReplace(
      Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties)
      throws NoSuchNamespaceException {
    return own().stageCreateOrReplace(in(ident), columns, partitions, properties);
  }

  @Override
  public Table alterTable(Identifier ident, TableChange... changes) throws NoSuchTableException {
    return own().alterTable(in(ident), changes);
  }

  @Override
  public boolean dropTable(Identifier ident) {
    return own().dropTable(in(ident));
  }

  @Override
  public void renameTable(Identifier before, Identifier after)
      throws NoSuchTableException, TableAlreadyExistsException {
    own().renameTable(in(before), in(after));
  }

  @Override
  public String[] defaultNamespace() {
    return new String[] {"default"};
  }

  @Override
  public String[][] listNamespaces() throws NoSuchNamespaceException {
    return Arrays.stream(schemas().listNamespaces())
        .filter(namespace -> namespace[0].startsWith(PREFIX))
        .map(namespace -> new String[] {namespace[0].substring(PREFIX.length())})
        .toArray(String[][]::new);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    return namespace.length == 0 ? listNamespaces() : new String[0][];
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    return schemas().loadNamespaceMetadata(in(namespace));
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> metadata)
      throws NamespaceAlreadyExistsException {
    schemas().createNamespace(in(namespace), metadata);
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes)
      throws NoSuchNamespaceException {
    schemas().alterNamespace(in(namespace), changes);
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException, NonEmptyNamespaceException {
    return schemas().dropNamespace(in(namespace), cascade);
  }
}
