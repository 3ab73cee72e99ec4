// A model file is from outside, and so are the numbers of its configuration: whatever they are,
// loading ends soon, with a model or with an error that names the file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/error.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

using Load = std::function<void(const Checkpoint&)>;

Checkpoint language_checkpoint() {
  LanguageModel model = small_language_model();
  model.cache.tokens = 10;
  return checkpoint_of(model);
}

// Where loading ended with an error that names the file, its text; empty when it brought a model.
std::string error_of(Checkpoint checkpoint, const std::string& key, const std::string& json,
                     const Load& load) {
  checkpoint.source = "hostile";
  checkpoint.metadata[key] = json;
  const auto begin = std::chrono::steady_clock::now();
  std::string message;
  try {
    load(checkpoint);
  } catch (const DataError& error) {
    message = error.what();
    EXPECT_NE(message.find("hostile"), std::string::npos) << message;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2))
      << key << " " << json;
  return message;
}

// Replaces every number of the options under `key`, one by one. Returns how many there are.
int replace_numbers(const Checkpoint& good, const std::string& key, const Load& load) {
  int numbers = 0;
  const auto options = nlohmann::ordered_json::parse(good.text(key));
  for (const auto& [name, value] : options.items()) {
    if (!value.is_number()) continue;
    ++numbers;
    for (const char* text : {"-2000000000", "2000000000", "4294967297", "1000000000000000000",
                             "18446744073709551615", "1e300", "-1e300", "null", "\"1\"", "[1]"}) {
      auto changed = options;
      changed[name] = nlohmann::ordered_json::parse(text);
      const std::string message = error_of(good, key, changed.dump(), load);
      EXPECT_NE(message.find(name), std::string::npos)
          << key << " " << name << " = " << text << " gives: " << message;
    }
    // In range, but not what the tensors are for, or harmless.
    for (const int in_range : {0, 1, 2, 3, 64, 1000, 1024, 4096, 65536, 1000000, 100000000}) {
      auto changed = options;
      changed[name] = in_range;
      error_of(good, key, changed.dump(), load);
    }
  }
  return numbers;
}

TEST(HostileNumbers, OfATranslationModelAreRefusedAtOnce) {
  const TranslationModel model = small_model();
  const Load load = [](const Checkpoint& checkpoint) { translation_model(checkpoint); };
  EXPECT_GT(replace_numbers(checkpoint_of(model), "attend.config", load), 8);
  EXPECT_EQ(replace_numbers(checkpoint_of(model), "attend.decoding", load), 4);
}

TEST(HostileNumbers, OfALanguageModelAreRefusedAtOnce) {
  const Load load = [](const Checkpoint& checkpoint) { language_model(checkpoint); };
  EXPECT_GT(replace_numbers(language_checkpoint(), "attend.config", load), 8);
  EXPECT_EQ(replace_numbers(language_checkpoint(), "attend.context", load), 1);
  EXPECT_EQ(replace_numbers(language_checkpoint(), "attend.cache", load), 3);
}

TEST(HostileNumbers, OfAClassifierAreRefusedAtOnce) {
  const Load load = [](const Checkpoint& checkpoint) { classification_model(checkpoint); };
  EXPECT_GT(replace_numbers(small_classifier_checkpoint(), "attend.config", load), 8);
  EXPECT_EQ(replace_numbers(small_classifier_checkpoint(), "attend.text", load), 1);
}

TEST(HostileNumbers, OfMoreLayersThanTensorsAreRefusedBeforeTheyAreMade) {
  auto config = nlohmann::ordered_json::parse(language_checkpoint().text("attend.config"));
  config["n_layers"] = 1000;
  const std::string message =
      error_of(language_checkpoint(), "attend.config", config.dump(),
               [](const Checkpoint& checkpoint) { language_model(checkpoint); });
  EXPECT_NE(message.find(fmt::format("attend.config: 1000 layers need more than {} tensors",
                                     language_checkpoint().tensors.size())),
            std::string::npos)
      << message;
}

TEST(HostileNumbers, ThatAskForMoreThanTheFileHoldsTakeNoMemory) {
  auto config = nlohmann::ordered_json::parse(language_checkpoint().text("attend.config"));
  config["d_model"] = 65536;  // 4.8 GB a layer
  config["d_ff"] = 1000000;
  const std::string message =
      error_of(language_checkpoint(), "attend.config", config.dump(),
               [](const Checkpoint& checkpoint) { language_model(checkpoint); });
  EXPECT_NE(message.find("embedding.weight: expected F32 [17, 65536], as the model's configuration "
                         "says, found F32 [17, 32]"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace attend
