package provhouse.capturing.landing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import provhouse.capturing.taps.*;

/**
 * Copies the lineage that applications have left on one of Hadoop's file systems to this machine.
 *
 * <p>This is a separate program. {@code list ADDRESS} prints the folders of applications at or
 * below an address. {@code block ADDRESS FOLDER} copies the complete files of one application, and
 * {@code remove ADDRESS} removes its folder. {@code files} copies files; each line of its standard
 * input has an address, a tab and a path.
 */
public final class Fetch {
  private static final String RECORD = "block.json";
  private static final Pattern VERSION = Pattern.compile("(.+\\.json)\\.(\\d+)");
  private static final Configuration SETTINGS = new Configuration();

  private Fetch() {}

  public static void main(String[] arguments) throws IOException {
    Path first = arguments.length > 1 ? new Path(arguments[1]) : null;
    switch (arguments[0]) {
      case "list" -> list(first);
      case "block" -> block(first, java.nio.file.Path.of(arguments[2]));
      case "remove" -> first.getFileSystem(SETTINGS).delete(first, true);
      default -> files();
    }
  }

  /** Print a line for each application: {@code ended} or {@code open}, a tab, and its folder. */
  private static void list(Path address) throws IOException {
    FileSystem files = address.getFileSystem(SETTINGS);
    if (isApplication(files, address)) {
      print(files, address);
      return;
    }
    for (FileStatus child : files.listStatus(address)) {
      if (child.isDirectory() && isApplication(files, child.getPath())) {
        print(files, child.getPath());
      }
    }
  }

  private static boolean isApplication(FileSystem files, Path folder) throws IOException {
    return Arrays.stream(files.listStatus(folder))
        .anyMatch(file -> file.getPath().getName().startsWith(RECORD));
  }

  private static void print(FileSystem files, Path folder) throws IOException {
    boolean ended = files.exists(Storage.marker(new Path(folder, Form.ENDED)));
    System.out.println((ended ? "ended\t" : "open\t") + folder);
  }

  /** Copy an application's complete files; if a file has several versions, copy only the last. */
  private static void block(Path from, java.nio.file.Path to) throws IOException {
    FileSystem files = from.getFileSystem(SETTINGS);
    Path root = files.makeQualified(from);
    Set<Path> all = new TreeSet<>();
    RemoteIterator<LocatedFileStatus> found = files.listFiles(root, true);
    while (found.hasNext()) {
      all.add(found.next().getPath());
    }
    Map<String, Long> newest = new HashMap<>();
    for (Path file : all) {
      if (all.contains(Storage.marker(file))) {
        String name = root.toUri().relativize(file.toUri()).getPath();
        Matcher version = VERSION.matcher(name);
        long number = version.matches() ? Long.parseLong(version.group(2)) : 0;
        String plain = version.matches() ? version.group(1) : name;
        if (number >= newest.getOrDefault(plain, 0L)) {
          newest.put(plain, number);
          copy(files, file, to.resolve(plain));
        }
      }
    }
  }

  private static void files() throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t");
      Path from = new Path(java.net.URI.create(parts[0]));
      FileSystem files = from.getFileSystem(SETTINGS);
      FileStatus status = files.getFileStatus(from);
      FileTime changed = FileTime.fromMillis(status.getModificationTime());
      java.nio.file.Path to = java.nio.file.Path.of(parts[1]);
      boolean same = Files.exists(to) && Files.size(to) == status.getLen()
          && Files.getLastModifiedTime(to).equals(changed);
      if (!same) {
        java.nio.file.Path aside = to.resolveSibling("." + to.getFileName());
        copy(files, from, aside);
        Files.setLastModifiedTime(aside, changed);
        Files.move(aside, to, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  private static void copy(FileSystem files, Path from, java.nio.file.Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (InputStream in = files.open(from)) {
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
