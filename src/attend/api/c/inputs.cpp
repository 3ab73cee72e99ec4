// What calls are given: cancellations, runtimes, texts and options.
#include <algorithm>
#include <utility>

#include "attend/api/c/call.h"
#include "attend/core/options/option_fields.h"

namespace attend {
namespace {

// The option of that name; a new one without values if there is none.
TrainingOption& option_of(attend_options& options, const char* name) {
  const std::string snake = snake_case(required_text(name, "name"));
  for (TrainingOption& option : options.list)
    if (option.name == snake) return option;
  return options.list.emplace_back(snake, std::vector<std::string>());
}

}  // namespace
}  // namespace attend

using attend::code_of;
using attend::made_by;
using attend::required;
using attend::required_text;

attend_cancellation* attend_cancellation_new(void) {
  return made_by(nullptr, [] { return std::make_unique<attend_cancellation>(); });
}

void attend_cancel(attend_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->asked = true;
}

void attend_cancellation_free(attend_cancellation* cancellation) { delete cancellation; }

attend_runtime* attend_runtime_new(std::int32_t threads, attend_error** error) {
  return made_by(error, [&] {
    return std::make_unique<attend_runtime>(
        attend_runtime{attend::make_runtime({.threads = threads})});
  });
}

std::int32_t attend_runtime_threads(const attend_runtime* runtime) {
  return runtime == nullptr ? 0 : attend::threads_of(*runtime->threads);
}

void attend_runtime_free(attend_runtime* runtime) { delete runtime; }

attend_texts* attend_texts_new(void) {
  return made_by(nullptr, [] { return std::make_unique<attend_texts>(); });
}

std::int32_t attend_texts_add(attend_texts* texts, const char* text, std::int64_t length,
                              attend_error** error) {
  return code_of(error, [&] {
    std::vector<std::string>& list = required(texts, "texts").list;
    list.push_back(required_text(text, length, "text"));
  });
}

void attend_texts_free(attend_texts* texts) { delete texts; }

attend_options* attend_options_new(void) {
  return made_by(nullptr, [] { return std::make_unique<attend_options>(); });
}

std::int32_t attend_options_set(attend_options* options, const char* name, const char* value,
                                attend_error** error) {
  return code_of(error, [&] {
    std::vector<std::string> values;
    if (value != nullptr) values.push_back(required_text(value, "value"));
    attend::option_of(required(options, "options"), name).values = std::move(values);
  });
}

std::int32_t attend_options_add(attend_options* options, const char* name, const char* value,
                                attend_error** error) {
  return code_of(error, [&] {
    std::string element = required_text(value, "value");
    attend::option_of(required(options, "options"), name).values.push_back(std::move(element));
  });
}

void attend_options_free(attend_options* options) { delete options; }
