/* A module of Node with a class of translators: new Translator(path).translate(line).
 *   cc -shared -fPIC -I/usr/include/node attend_addon.c -o attend_addon.node $(pkg-config --cflags --libs attend-c) */
#include <attend/c/attend.h>
#include <node_api.h>

#include <stdlib.h>

/* Throws what went wrong in JavaScript. */
static napi_value thrown(napi_env env, attend_error* error) {
  napi_throw_error(env, NULL, attend_error_message(error));
  attend_error_free(error);
  return NULL;
}

/* A copy of the first argument with a NUL behind it, to be freed. */
static char* text_argument(napi_env env, napi_callback_info info, napi_value* self, size_t* length) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, self, NULL);
  if (napi_get_value_string_utf8(env, argument, NULL, 0, length) != napi_ok) {
    napi_throw_type_error(env, NULL, "expected a string");
    return NULL;
  }
  char* text = malloc(*length + 1);
  if (text) napi_get_value_string_utf8(env, argument, text, *length + 1, length);
  return text;
}

static void finalize(napi_env env, void* model, void* hint) {
  (void)env, (void)hint;
  attend_model_free(model);
}

static napi_value construct(napi_env env, napi_callback_info info) {
  napi_value self;
  size_t length;
  attend_error* error = NULL;
  char* path = text_argument(env, info, &self, &length);
  if (!path) return NULL;
  attend_model* model = attend_load(path, NULL, NULL, &error);
  free(path);
  if (!model) return thrown(env, error);
  napi_wrap(env, self, model, finalize, NULL, NULL);
  return self;
}

static napi_value translate(napi_env env, napi_callback_info info) {
  napi_value self, translation = NULL;
  size_t length;
  int64_t written;
  void* model;
  attend_error* error = NULL;
  char* line = text_argument(env, info, &self, &length);
  if (!line || napi_unwrap(env, self, &model) != napi_ok) return free(line), NULL;
  attend_texts* texts = attend_texts_new();
  attend_result* result = NULL;
  if (attend_texts_add(texts, line, (int64_t)length, &error) == ATTEND_OK)
    result = attend_translate(model, texts, NULL, NULL, &error);
  attend_texts_free(texts);
  free(line);
  if (!result) return thrown(env, error);
  const char* text = attend_result_text(result, 0, 0, &written);
  napi_create_string_utf8(env, text, (size_t)written, &translation);
  attend_result_free(result);
  return translation;
}

NAPI_MODULE_INIT() {
  napi_property_descriptor method = {"translate", NULL, translate, NULL, NULL, NULL, napi_default, NULL};
  napi_value type;
  napi_define_class(env, "Translator", NAPI_AUTO_LENGTH, construct, NULL, 1, &method, &type);
  napi_set_named_property(env, exports, "Translator", type);
  return exports;
}
