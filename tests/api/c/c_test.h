// The interface of C as tests use it: objects that free themselves, and errors.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/small_models.h"
#include "attend/c/attend.h"

namespace attend {

template <auto free>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const {
    free(object);
  }
};
template <class Object, auto free>
using Owned = std::unique_ptr<Object, FreedBy<free>>;

using OwnedError = Owned<attend_error, attend_error_free>;
using OwnedCancellation = Owned<attend_cancellation, attend_cancellation_free>;
using OwnedRuntime = Owned<attend_runtime, attend_runtime_free>;
using OwnedModel = Owned<attend_model, attend_model_free>;
using OwnedTexts = Owned<attend_texts, attend_texts_free>;
using OwnedOptions = Owned<attend_options, attend_options_free>;
using OwnedResult = Owned<attend_result, attend_result_free>;

inline OwnedTexts texts_of(const std::vector<std::string>& list) {
  OwnedTexts texts(attend_texts_new());
  for (const std::string& text : list)
    EXPECT_EQ(attend_texts_add(texts.get(), text.data(), std::ssize(text), nullptr), ATTEND_OK);
  return texts;
}

// Lists have several values for one name.
inline OwnedOptions options_of(const std::vector<std::pair<std::string, std::string>>& list) {
  OwnedOptions options(attend_options_new());
  for (const auto& [name, value] : list)
    EXPECT_EQ(attend_options_add(options.get(), name.c_str(), value.c_str(), nullptr), ATTEND_OK);
  return options;
}

// What call(&error) makes, which must not be NULL.
template <class Call>
auto made(const Call& call) {
  attend_error* error = nullptr;
  auto* const object = call(&error);
  EXPECT_NE(object, nullptr) << attend_error_message(error);
  EXPECT_EQ(error, nullptr);
  return object;
}

inline OwnedModel load(const std::string& path) {
  return OwnedModel(made(
      [&](attend_error** error) { return attend_load(path.c_str(), nullptr, nullptr, error); }));
}

// That call(&error), which returns an object, fails with this code, and with or without an error to
// fill in; and that its message has these parts.
template <class Call>
void expect_failure(std::int32_t code, std::initializer_list<const char*> parts, const Call& call) {
  attend_error* stored = nullptr;
  EXPECT_EQ(call(&stored), nullptr);
  const OwnedError error(stored);
  ASSERT_NE(error, nullptr);
  const std::string message = attend_error_message(error.get());
  EXPECT_EQ(attend_error_code(error.get()), code) << message;
  for (const char* part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
  EXPECT_EQ(call(nullptr), nullptr);
}

// The same for a function that returns a code.
template <class Call>
void expect_code(std::int32_t code, std::initializer_list<const char*> parts, const Call& call) {
  expect_failure(code, parts, [&](attend_error** error) -> const char* {
    EXPECT_EQ(call(error), code);
    return nullptr;
  });
}

}  // namespace attend
