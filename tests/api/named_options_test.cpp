#include "attend/api/named_options.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/core/options/option_fields.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

IsGiven given(std::set<std::string> names) {
  return [names = std::move(names)](const std::string& name) { return names.contains(name); };
}

TEST(NamedOptions, SampleWithTheLengthOfTheSearch) {
  NamedTranslation named;
  EXPECT_FALSE(resolved(named, given({})).sampling);
  const std::vector<OptionField> fields = option_fields(named);
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"sample", "true"}, {"max_length", "7"}, {"top-k", "3"}, {"n_best", "2"}})
    set_option_named(fields, name, std::vector{value});
  const TranslationOptions options = resolved(named, given({"top_k"}));
  ASSERT_TRUE(options.sampling);
  EXPECT_EQ(options.sampling->max_length, 7);
  EXPECT_EQ(options.sampling->top_k, 3);
  EXPECT_EQ(options.beam.n_best, 2);
}

TEST(NamedOptions, WithoutEffectAreRefused) {
  NamedTranslation named;
  expect_error<ConfigError>([&] { resolved(named, given({"seed"})); }, {"seed: needs sample"});
  resolved(named, given({"beam_size", "patience"}));
  named.sample = true;
  resolved(named, given({"seed", "temperature"}));
  expect_error<ConfigError>([&] { resolved(named, given({"beam_size"})); },
                            {"beam_size: is for beam search"});
  GenerationOptions options;
  require_effect(options, given({"seed"}));
  expect_error<ConfigError>([&] { require_effect(options, given({"patience"})); },
                            {"patience: needs beam_size"});
  options.beam.beam_size = 4;
  require_effect(options, given({"patience"}));
  expect_error<ConfigError>([&] { require_effect(options, given({"top_p"})); },
                            {"top_p: is for sampling"});
}

}  // namespace
}  // namespace attend
