package provhouse.capturing.rules;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.api.python.SimplePythonFunction;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.*;

/**
 * A Python function that passes on the columns that rules have added to its input.
 *
 * <p>When a worker loads the pickle of this function, it runs the source of {@code
 * capturing/worker_function.py} and passes the pickle of the program's function to a function in
 * that source. So the driver does not have to run Python, and executors need only PySpark.
 */
final class WorkerFunction {
  private static final String SOURCE = "/provhouse/capturing/worker_function.py";
  private static final int PROTOCOL = 3;

  private WorkerFunction() {}

  /** Return the Python function that an operator calls. */
  static PythonUDF of(LogicalPlan node) {
    return (PythonUDF) Plans.field(node, "functionExpr");
  }

  /**
   * Return an operator whose function also gets the columns {@code numbers}, the numbers of groups,
   * and also returns the columns {@code more}.
   */
  static LogicalPlan carrying(LogicalPlan node, List<Attribute> numbers, List<Attribute> more) {
    return wider(node, "carrying", of(node).evalType(), numbers, more);
  }

  /** Return an operator whose {@code row_by_row} function also returns the columns {@code more}. */
  static LogicalPlan returning(LogicalPlan node, List<Attribute> more) {
    return wider(node, "returning", more.size(), List.of(), more);
  }

  /** Return an operator whose Python function is wrapped in the function {@code called}. */
  private static LogicalPlan wider(
      LogicalPlan node, String called, int number, List<Attribute> given, List<Attribute> more) {
    PythonUDF plain = of(node);
    StructType result = (StructType) plain.dataType();
    for (Attribute each : more) {
      result = result.add(each.name(), each.dataType());
    }
    PythonUDF function =
        plain.copy(
            plain.name(),
            around(plain.func(), called, number),
            result,
            Plans.seq(Plans.joined(Plans.list(plain.children()), given)),
            plain.evalType(),
            plain.udfDeterministic(),
            plain.resultId());
    List<Attribute> output = Plans.joined(Plans.output(node), more);
    return Plans.with(node, Map.of("functionExpr", function, "output", Plans.seq(output)));
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
    pickle.code('h', 0, 0x86, 'R', '0'); // push the dict, make a pair, call, and drop the result
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

  /** The bytes of a program for Python's unpickler. */
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
