#include <climits>

#include "api/c/c_test.h"
#include "attend/api/c/call.h"
#include "attend/tensor/out_of_memory.h"
#include "attend/version.h"

namespace attend {
namespace {

TEST(CInputs, FreeNothingForNull) {
  attend_error_free(nullptr);
  attend_cancellation_free(nullptr);
  attend_runtime_free(nullptr);
  attend_model_free(nullptr);
  attend_texts_free(nullptr);
  attend_options_free(nullptr);
  attend_result_free(nullptr);
  attend_cancel(nullptr);
  EXPECT_EQ(attend_error_code(nullptr), ATTEND_OK);
  EXPECT_STREQ(attend_error_message(nullptr), "");
}

TEST(CInputs, KnowTheirVersion) {
  EXPECT_EQ(attend_abi_version(), ATTEND_ABI_VERSION);
  EXPECT_EQ(attend_version(), version());
}

TEST(CInputs, CountTheThreadsOfARuntime) {
  const OwnedRuntime runtime(
      made([](attend_error** error) { return attend_runtime_new(3, error); }));
  EXPECT_EQ(attend_runtime_threads(runtime.get()), 3);
  EXPECT_EQ(attend_runtime_threads(nullptr), 0);
  for (const std::int32_t threads : {-1, 1025, INT_MAX})
    expect_failure(ATTEND_CONFIG_ERROR, {"threads"},
                   [&](attend_error** error) { return attend_runtime_new(threads, error); });
}

TEST(CInputs, TakeTextsWithAndWithoutALength) {
  const OwnedTexts texts(attend_texts_new());
  for (const std::int64_t length : {-1, 0, 3, 10})
    EXPECT_EQ(attend_texts_add(texts.get(), "the dog\0and", length, nullptr), ATTEND_OK) << length;
}

TEST(CInputs, RefuseTextsThatAreNone) {
  const OwnedTexts texts(attend_texts_new());
  const auto add = [&](const char* text, std::int64_t length) {
    return [&texts, text, length](attend_error** error) {
      return attend_texts_add(texts.get(), text, length, error);
    };
  };
  expect_code(ATTEND_INVALID_ARGUMENT, {"text", "NULL"}, add(nullptr, -1));
  expect_code(ATTEND_INVALID_ARGUMENT, {"text", "-2"}, add("a", -2));
  expect_code(ATTEND_DATA_ERROR, {"text: byte 3 (0xFF) is not valid UTF-8"}, add("a \xff", -1));
  expect_code(ATTEND_DATA_ERROR, {"byte 1"}, add("\xC3\xA4", 1));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end the process
  expect_code(ATTEND_OUT_OF_MEMORY, {"out of memory"}, add("a", std::int64_t{1} << 60));
#endif
  expect_code(ATTEND_INVALID_ARGUMENT, {"texts", "NULL"},
              [](attend_error** error) { return attend_texts_add(nullptr, "a", -1, error); });
}

TEST(CErrors, SayHowMuchMemoryWasAskedFor) {
  expect_code(ATTEND_OUT_OF_MEMORY, {"out of memory: 5 bytes requested"}, [](attend_error** error) {
    return code_of(error, [] { throw OutOfMemory("out of memory: 5 bytes requested"); });
  });
}

TEST(CInputs, RefuseOptionsWithoutANameOrAnElement) {
  const OwnedOptions options(attend_options_new());
  expect_code(ATTEND_INVALID_ARGUMENT, {"options", "NULL"},
              [](attend_error** error) { return attend_options_set(nullptr, "a", "1", error); });
  expect_code(ATTEND_INVALID_ARGUMENT, {"name", "NULL"}, [&](attend_error** error) {
    return attend_options_set(options.get(), nullptr, "1", error);
  });
  expect_code(ATTEND_INVALID_ARGUMENT, {"value", "NULL"}, [&](attend_error** error) {
    return attend_options_add(options.get(), "a", nullptr, error);
  });
  expect_code(ATTEND_DATA_ERROR, {"value", "UTF-8"}, [&](attend_error** error) {
    return attend_options_set(options.get(), "a", "\xff", error);
  });
}

}  // namespace
}  // namespace attend
