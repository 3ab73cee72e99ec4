/* Translates standard input, line by line:
 *   cc translate.c -o translate $(pkg-config --cflags --libs attend-c)
 *   ./translate model.safetensors < in > out */
#include <attend/c/attend.h>

#include <stdio.h>
#include <string.h>

/* Prints what went wrong. Returns the exit status. */
static int failed(attend_error* error) {
  fprintf(stderr, "%s\n", attend_error_message(error));
  attend_error_free(error);
  return 1;
}

static attend_texts* read_lines(FILE* file, attend_error** error) {
  attend_texts* texts = attend_texts_new();
  char line[65536]; /* longer lines are read as several */
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = '\0';
    if (attend_texts_add(texts, line, -1, error) != ATTEND_OK) {
      attend_texts_free(texts);
      return NULL;
    }
  }
  return texts;
}

static int translate(const attend_model* model, const attend_texts* texts) {
  attend_error* error = NULL;
  attend_options* options = attend_options_new();
  attend_options_set(options, "beam_size", "5", NULL);
  attend_result* result = attend_translate(model, texts, options, NULL, &error);
  attend_options_free(options);
  if (!result) return failed(error);
  for (int64_t i = 0; i < attend_result_count(result); ++i)
    puts(attend_result_text(result, i, 0, NULL));
  attend_result_free(result);
  return 0;
}

int main(int argc, char** argv) {
  attend_error* error = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: translate MODEL < in > out\n");
    return 2;
  }
  attend_model* model = attend_load(argv[1], NULL, NULL, &error);
  if (!model) return failed(error);
  attend_texts* texts = read_lines(stdin, &error);
  const int status = texts ? translate(model, texts) : failed(error);
  attend_texts_free(texts);
  attend_model_free(model);
  return status;
}
