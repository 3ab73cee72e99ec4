// Translates standard input, line by line:
//   mcs Translate.cs && LD_LIBRARY_PATH=LIB mono Translate.exe MODEL < in > out
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

static class Translate {
  const string Library = "attend";
  const UnmanagedType Utf8 = UnmanagedType.LPUTF8Str;
  [DllImport(Library)] static extern IntPtr attend_error_message(IntPtr error);
  [DllImport(Library)] static extern void attend_error_free(IntPtr error);
  [DllImport(Library)] static extern IntPtr attend_load([MarshalAs(Utf8)] string path, IntPtr runtime, IntPtr cancellation, out IntPtr error);
  [DllImport(Library)] static extern void attend_model_free(IntPtr model);
  [DllImport(Library)] static extern IntPtr attend_texts_new();
  [DllImport(Library)] static extern int attend_texts_add(IntPtr texts, byte[] text, long length, out IntPtr error);
  [DllImport(Library)] static extern void attend_texts_free(IntPtr texts);
  [DllImport(Library)] static extern IntPtr attend_translate(IntPtr model, IntPtr texts, IntPtr options, IntPtr cancellation, out IntPtr error);
  [DllImport(Library)] static extern IntPtr attend_result_text(IntPtr result, long item, long choice, out long length);
  [DllImport(Library)] static extern void attend_result_free(IntPtr result);

  // Throws the error, if there is one.
  static void Check(IntPtr error) {
    if (error == IntPtr.Zero) return;
    IntPtr message = attend_error_message(error);
    int length = 0;
    while (Marshal.ReadByte(message, length) != 0) ++length;
    string text = Text(message, length);
    attend_error_free(error);
    throw new ArgumentException(text);
  }

  static string Text(IntPtr utf8, long length) {
    byte[] bytes = new byte[length];
    Marshal.Copy(utf8, bytes, 0, bytes.Length);
    return Encoding.UTF8.GetString(bytes);
  }

  static string Translated(IntPtr model, string line) {
    IntPtr texts = attend_texts_new(), error;
    byte[] bytes = Encoding.UTF8.GetBytes(line);
    attend_texts_add(texts, bytes, bytes.Length, out error);
    IntPtr result = attend_translate(model, texts, IntPtr.Zero, IntPtr.Zero, out error);
    attend_texts_free(texts);
    Check(error);
    long length;
    IntPtr text = attend_result_text(result, 0, 0, out length);
    string translation = Text(text, length);
    attend_result_free(result);
    return translation;
  }

  static int Main(string[] arguments) {
    try {
      if (arguments.Length != 1) throw new ArgumentException("usage: Translate MODEL < in > out");
      IntPtr error, model = attend_load(arguments[0], IntPtr.Zero, IntPtr.Zero, out error);
      Check(error);
      var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
      var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
      for (string line; (line = input.ReadLine()) != null;) output.WriteLine(Translated(model, line));
      output.Flush();
      attend_model_free(model);
      return 0;
    } catch (ArgumentException error) {
      Console.Error.WriteLine(error.Message);
      return 1;
    }
  }
}
