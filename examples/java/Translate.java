// Translates standard input, line by line, with JNA (Debian: libjna-java):
//   java -cp /usr/share/java/jna.jar -Djna.library.path=LIB Translate.java MODEL < in > out
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

public class Translate {
  interface Attend extends Library {
    String attend_error_message(Pointer error);
    void attend_error_free(Pointer error);
    Pointer attend_load(String path, Pointer runtime, Pointer cancellation, PointerByReference error);
    void attend_model_free(Pointer model);
    Pointer attend_texts_new();
    int attend_texts_add(Pointer texts, byte[] text, long length, PointerByReference error);
    void attend_texts_free(Pointer texts);
    Pointer attend_translate(Pointer model, Pointer texts, Pointer options, Pointer cancellation, PointerByReference error);
    String attend_result_text(Pointer result, long item, long choice, Pointer length);
    void attend_result_free(Pointer result);
  }

  static final Attend attend =
      Native.load("attend", Attend.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));

  // Throws the error, if there is one.
  static void check(PointerByReference error) {
    Pointer found = error.getValue();
    if (found == null) return;
    String message = attend.attend_error_message(found);
    attend.attend_error_free(found);
    throw new IllegalArgumentException(message);
  }

  static String translate(Pointer model, String line) {
    PointerByReference error = new PointerByReference();
    Pointer texts = attend.attend_texts_new();
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    attend.attend_texts_add(texts, bytes, bytes.length, null);
    Pointer result = attend.attend_translate(model, texts, null, null, error);
    attend.attend_texts_free(texts);
    check(error);
    String text = attend.attend_result_text(result, 0, 0, null);
    attend.attend_result_free(result);
    return text;
  }

  public static void main(String[] arguments) throws Exception {
    try {
      if (arguments.length != 1) throw new IllegalArgumentException("usage: Translate MODEL < in > out");
      PointerByReference error = new PointerByReference();
      Pointer model = attend.attend_load(arguments[0], null, null, error);
      check(error);
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line; (line = in.readLine()) != null; ) out.println(translate(model, line));
      attend.attend_model_free(model);
    } catch (IllegalArgumentException error) {
      System.err.println(error.getMessage());
      System.exit(1);
    }
  }
}
