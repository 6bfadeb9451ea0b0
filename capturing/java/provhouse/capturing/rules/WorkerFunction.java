package provhouse.capturing.rules;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.api.python.SimplePythonFunction;
import provhouse.capturing.plans.Plans;

/**
 * A Python function that hands on what the rules have added to its input.
 *
 * <p>Its pickle runs the source of {@code capturing/worker_function.py} and calls a function of it
 * with the pickle of the program's function. So no Python has to run in the driver, and executors
 * need nothing but PySpark.
 */
final class WorkerFunction {
  private static final String SOURCE = "/provhouse/capturing/worker_function.py";
  private static final int PROTOCOL = 3;

  private WorkerFunction() {}

  /** Return a function of groups with the numbers of its groups, for an evaluation type. */
  static PythonFunction carrying(PythonFunction function, int evalType) {
    return around(function, "carrying", evalType);
  }

  /** Return a function that {@code provhouse.row_by_row} has marked, with a number of slots. */
  static PythonFunction returning(PythonFunction function, int slots) {
    return around(function, "returning", slots);
  }

  private static PythonFunction around(PythonFunction function, String called, int number) {
    return new SimplePythonFunction(
        pickled(called, bytes(function), number),
        function.envVars(),
        function.pythonIncludes(),
        function.pythonExec(),
        function.pythonVer(),
        function.broadcastVars(),
        function.accumulator());
  }

  private static byte[] bytes(PythonFunction function) {
    List<Object> command = Plans.list(function.command());
    byte[] found = new byte[command.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = (Byte) command.get(i);
    }
    return found;
  }

  /** Return a pickle for: names = {}; exec(source, names); names[called](command, number). */
  private static byte[] pickled(String called, byte[] command, int number) {
    Pickle pickle = new Pickle();
    pickle.code(0x80, PROTOCOL);
    pickle.code('}', 'q', 0, '0'); // an empty dict, as number 0 of the memo
    pickle.global("builtins", "exec");
    pickle.sized('X', source());
    pickle.code('h', 0, 0x86, 'R', '0'); // the dict; both as a tuple; the call; no result
    pickle.global("operator", "getitem");
    pickle.code('h', 0);
    pickle.sized('X', called.getBytes(StandardCharsets.UTF_8));
    pickle.code(0x86, 'R');
    pickle.sized('B', command);
    pickle.code('J');
    pickle.number(number);
    pickle.code(0x86, 'R', '.');
    return pickle.out.toByteArray();
  }

  private static byte[] source() {
    try (InputStream source = WorkerFunction.class.getResourceAsStream(SOURCE)) {
      return source.readAllBytes();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Bytes of a program for Python's unpickler. */
  private static final class Pickle {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void code(int... codes) {
      for (int code : codes) {
        out.write(code);
      }
    }

    void global(String module, String name) {
      out.writeBytes(("c" + module + "\n" + name + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void sized(char code, byte[] content) {
      out.write(code);
      number(content.length);
      out.writeBytes(content);
    }

    void number(int value) {
      out.writeBytes(
          ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
    }
  }
}
