#include "attend/server/routes/completion_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestStop = 1024;

std::vector<std::string> stops_of(const Parameters& parameters) {
  std::vector<std::string> stops = parameters.texts("stop");
  if (stops.size() > 16) throw HttpError{400, "stop: expected at most 16 strings"};
  for (const std::string& stop : stops)
    if (stop.size() > kLongestStop)
      throw HttpError{400, fmt::format("stop: expected strings of at most {} bytes", kLongestStop)};
  std::erase(stops, "");
  return stops;
}

GenerationOptions generation_options(const Parameters& p, const Generator& generator) {
  GenerationOptions options = generator.default_options();
  options.sampling.seed = p.seed("seed", 1);
  options.sampling.top_p = static_cast<float>(p.number("top_p", 0, 1, options.sampling.top_p));
  options.sampling.top_k = static_cast<int>(p.whole("top_k", -1, 1 << 24, options.sampling.top_k));
  options.sampling.temperature =
      static_cast<float>(p.number("temperature", 0, 100, options.sampling.temperature));
  options.repetition_penalty =
      static_cast<float>(p.number("repetition_penalty", 1e-6, 1e6, options.repetition_penalty));
  options.min_tokens = static_cast<int>(p.whole("min_tokens", 0, 1 << 20, options.min_tokens));
  return options;
}

// Whether the stream ends with the numbers of tokens.
bool wants_usage(const Parameters& p) {
  static constexpr std::string_view kMembers[] = {"include_usage", "include_obfuscation",
                                                  "continuous_usage_stats"};
  const Json* const options = p.object("stream_options", kMembers);
  if (options == nullptr) return false;
  if (options->value("continuous_usage_stats", Json()) == Json(true))
    throw HttpError{400, "stream_options: continuous_usage_stats is not supported"};
  const Json usage = options->value("include_usage", Json());
  if (!usage.is_null() && !usage.is_boolean())
    throw HttpError{400, "stream_options: expected true or false as include_usage"};
  return usage == Json(true);
}

}  // namespace

int most_tokens(const Parameters& p, std::int64_t least, std::int64_t allowed,
                std::int64_t if_absent) {
  const char* const name = p.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  const std::int64_t most = p.whole(name, least, std::numeric_limits<int>::max(),
                                    std::clamp<std::int64_t>(if_absent, 1, allowed));
  if (most > allowed)
    throw HttpError{400, fmt::format("{}: expected at most {}, the max-new-tokens of the server, "
                                     "got {}",
                                     name, allowed, most)};
  return static_cast<int>(most);
}

CompletionRequest completion_request(const Parameters& p, const ServedModelPointer& model) {
  CompletionRequest request{.model = model};
  request.choices = static_cast<int>(p.whole("n", 1, 128, 1));
  request.options = generation_options(p, *model->as<Generator>());
  request.stops = stops_of(p);
  request.stream = p.flag("stream", false);
  request.stream_usage = wants_usage(p);
  request.token_ids = p.flag("return_token_ids", false);
  return request;
}

}  // namespace attend
