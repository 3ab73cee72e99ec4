#include "attend/interchange/families/gguf/gguf_pre_tokenizers.h"

#include <algorithm>
#include <array>

namespace attend {

namespace {

using Patterns = std::span<const std::string_view>;

constexpr std::string_view kWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";

constexpr std::array kGpt2Words{kWords};
constexpr std::array<std::string_view, 2> kDigitsAndWords{R"(\p{N})", kWords};
constexpr std::array<std::string_view, 4> kUsualWords{R"([\p{P}\$\+<=>\^~\|]+)", kWords,
                                                      R"(\p{N}+)", "[0-9][0-9][0-9]"};
constexpr std::array<std::string_view, 3> kFalconWords{R"([\p{P}\$\+<=>\^~\|`]+)", kWords,
                                                       "[0-9][0-9][0-9]"};
constexpr std::array<std::string_view, 1> kLlama3Words{
    R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kQwen2Words{
    R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<std::string_view, 1> kBloomWords{R"( ?[^(\s|.,!?…。，、।۔،)]+)"};

struct NamedPreTokenizer {
  std::string_view name;
  GgufPreTokenizer cuts;
};

constexpr GgufPreTokenizer kGpt2Cuts{kGpt2Words}, kDigitsCuts{kDigitsAndWords},
    kUsualCuts{kUsualWords}, kFalconCuts{kFalconWords}, kLlama3Cuts{kLlama3Words, true, true},
    kSmaugCuts{kLlama3Words}, kQwen2Cuts{kQwen2Words}, kBloomCuts{kBloomWords};

constexpr auto kPreTokenizers = std::to_array<NamedPreTokenizer>({
    {"", kUsualCuts},
    {"default", kUsualCuts},
    {"llama3", kLlama3Cuts},
    {"llama-v3", kLlama3Cuts},
    {"llama-bpe", kLlama3Cuts},
    {"falcon3", kLlama3Cuts},
    {"falcon-h1", kLlama3Cuts},
    {"pixtral", kLlama3Cuts},
    {"midm-2.0", kLlama3Cuts},
    {"lfm2", kLlama3Cuts},
    {"dbrx", kSmaugCuts},
    {"smaug-bpe", kSmaugCuts},
    {"falcon", kFalconCuts},
    {"starcoder", kDigitsCuts},
    {"refact", kDigitsCuts},
    {"command-r", kDigitsCuts},
    {"smollm", kDigitsCuts},
    {"codeshell", kDigitsCuts},
    {"exaone", kDigitsCuts},
    {"minerva-7b", kDigitsCuts},
    {"gpt-2", kGpt2Cuts},
    {"mpt", kGpt2Cuts},
    {"olmo", kGpt2Cuts},
    {"jais", kGpt2Cuts},
    {"phi-2", kGpt2Cuts},
    {"gigachat", kGpt2Cuts},
    {"exaone4", kGpt2Cuts},
    {"trillion", kGpt2Cuts},
    {"stablelm2", kQwen2Cuts},
    {"qwen2", kQwen2Cuts},
    {"deepseek-r1-qwen", kQwen2Cuts},
    {"hunyuan", kQwen2Cuts},
    {"megrez", kQwen2Cuts},
    {"bloom", kBloomCuts},
    {"gpt3-finnish", kBloomCuts},
    {"poro-chat", kBloomCuts},
});

}  // namespace

const GgufPreTokenizer* gguf_pre_tokenizer(std::string_view name) {
  const auto found = std::find_if(kPreTokenizers.begin(), kPreTokenizers.end(),
                                  [&](const NamedPreTokenizer& one) { return one.name == name; });
  return found == kPreTokenizers.end() ? nullptr : &found->cuts;
}

namespace {

// As llama.cpp writes it.
std::string gguf_spelling(std::string pattern) {
  constexpr std::string_view kTheirs = "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
                             kOurs = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
                             kTheirBloom = R"( ?[^(\s|[.,!?…。，、।۔،])]+)", kLast = R"(|\s+)";
  if (pattern == kTheirBloom) return std::string(kBloomWords[0]);
  if (pattern == std::string(kWords) + std::string(kLast)) return std::string(kWords);
  if (pattern.starts_with(kTheirs)) pattern.replace(0, kTheirs.size(), kOurs);
  return pattern;
}

}  // namespace

std::optional<std::string_view> gguf_pre_tokenizer_with(const std::vector<std::string>& patterns,
                                                        bool ignores_merges) {
  const auto fits = [&](const NamedPreTokenizer& one) {
    return !one.name.empty() && one.cuts.ignores_merges == ignores_merges &&
           std::equal(
               patterns.begin(), patterns.end(), one.cuts.patterns.begin(), one.cuts.patterns.end(),
               [](const std::string& a, std::string_view b) { return gguf_spelling(a) == b; });
  };
  const auto found = std::find_if(kPreTokenizers.begin(), kPreTokenizers.end(), fits);
  if (found == kPreTokenizers.end()) return std::nullopt;
  return found->name;
}

}  // namespace attend
