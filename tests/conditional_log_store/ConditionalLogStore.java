package ivmtests;

import io.delta.storage.HadoopFileSystemLogStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * Delta's log in an S3 store that several drivers write at once: a commit is one PUT with the
 * header If-None-Match, which the store refuses if the version is there already.
 */
public class ConditionalLogStore extends HadoopFileSystemLogStore {
  private static final String ONLY_IF_ABSENT = "fs.option.create.conditional.overwrite";

  public ConditionalLogStore(Configuration conf) {
    super(conf);
  }

  @Override
  public void write(Path path, Iterator<String> actions, Boolean overwrite, Configuration conf)
      throws IOException {
    StringBuilder lines = new StringBuilder();
    actions.forEachRemaining(action -> lines.append(action).append('\n'));
    try (FSDataOutputStream stream = created(path, overwrite, conf)) {
      stream.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    } catch (PathIOException refused) {
      // The class is of hadoop-aws. Delta knows a lost race by the other exception alone.
      if (refused.getClass().getSimpleName().equals("RemoteFileChangedException")) {
        throw new FileAlreadyExistsException(path.toString());
      }
      throw refused;
    }
  }

  private FSDataOutputStream created(Path path, boolean overwrite, Configuration conf)
      throws IOException {
    FileSystem files = path.getFileSystem(conf);
    return overwrite
        ? files.create(path, true)
        : (FSDataOutputStream)
            files.createFile(path).overwrite(true).opt(ONLY_IF_ABSENT, true).build();
  }

  @Override
  public Boolean isPartialWriteVisible(Path path, Configuration conf) {
    return false;
  }
}
