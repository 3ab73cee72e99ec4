#include "attend/api/named_options.h"

#include <fmt/format.h>

#include <initializer_list>

#include "attend/error.h"

namespace attend {

namespace {

void refuse(const IsGiven& is_given, std::initializer_list<const char*> names, const char* reason) {
  for (const char* name : names)
    if (is_given(name)) throw ConfigError(fmt::format("{}: {}", name, reason));
}

}  // namespace

TranslationOptions resolved(const NamedTranslation& named, const IsGiven& is_given) {
  TranslationOptions options = named.translation;
  if (named.sample || options.samples > 0) {
    refuse(is_given, {"beam_size", "length_penalty", "patience", "must_contain", "prefix_weight"},
           named.sample ? "is for beam search, not for sample"
                        : "is for beam search, not for samples");
    options.sampling = named.sampling;
    options.sampling->max_length = options.beam.max_length;
  } else {
    refuse(is_given, {"temperature", "top_k", "top_p", "seed"}, "needs sample or samples");
  }
  return options;
}

void require_effect(const GenerationOptions& options, const IsGiven& is_given) {
  if (options.beam.beam_size > 0)
    refuse(is_given, {"temperature", "top_k", "top_p", "seed"},
           "is for sampling, not for beam_size");
  else
    refuse(is_given, {"length_penalty", "patience"}, "needs beam_size");
}

}  // namespace attend
