#define PCRE2_CODE_UNIT_WIDTH 8
#include "attend/text/split_pattern.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/huggingface/patterns/oniguruma.h"

namespace attend::detail {

struct PcreFree {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

namespace {

constexpr std::size_t kLongestPattern = 4096;
constexpr std::uint32_t kHeapKilobytes = 64 * 1024;

// Backtracking limit of a match: enough for patterns that look at a run of characters once.
std::uint32_t match_limit(std::size_t bytes) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(10'000 + 16 * bytes, std::uint32_t{1} << 31));
}

// Whether it may have an atomic group: PCRE2 10.42 makes "a*" in "a*(?:b)?+c" possessive, as if the
// group had to match, and then finds no "ac".
bool may_have_atomic_group(std::string_view pattern) {
  constexpr std::string_view kBegins[] = {"(?>", ")?+", ")*+", ")++", "){"};
  return std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view begin) {
    return pattern.find(begin) != std::string_view::npos;
  });
}

}  // namespace

struct SplitPattern::Code {
  std::unique_ptr<pcre2_code, PcreFree> code;
};

SplitPattern::SplitPattern(std::string_view pattern) {
  if (pattern.size() > kLongestPattern || !is_utf8(pattern))
    throw DataError(fmt::format("its pattern {} is too long or not UTF-8", quote(pattern)));
  const std::string spelled = pcre_of_oniguruma(pattern);
  int error = 0;
  PCRE2_SIZE at = 0;
  constexpr std::uint32_t kOptions =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
                    kOptions | (may_have_atomic_group(spelled) ? PCRE2_NO_AUTO_POSSESS : 0), &error,
                    &at, nullptr);
  if (code == nullptr) {
    std::array<PCRE2_UCHAR, 200> message{};
    pcre2_get_error_message(error, message.data(), message.size());
    throw DataError(fmt::format("its pattern {} is invalid ({})", quote(pattern),
                                reinterpret_cast<const char*>(message.data())));
  }
  code_ = std::make_shared<const Code>(Code{std::unique_ptr<pcre2_code, PcreFree>(code)});
  // Some systems forbid generated code; matching is then only slower.
  static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));
}

std::vector<TokenSpan> SplitPattern::matches(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, PcreFree> data(pcre2_match_data_create(1, nullptr));
  const std::unique_ptr<pcre2_match_context, PcreFree> context(pcre2_match_context_create(nullptr));
  pcre2_set_heap_limit(context.get(), kHeapKilobytes);
  pcre2_set_match_limit(context.get(), match_limit(text.size()));
  const auto* const subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  std::vector<TokenSpan> found;
  for (std::size_t at = 0; at <= text.size();) {
    const auto match = [&](std::uint32_t options) {
      return pcre2_match(code_->code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK | options,
                         data.get(), context.get());
    };
    int count = match(0);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) count = match(PCRE2_NO_JIT);
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0)
      throw DataError(
          fmt::format("tokenizer: its pattern takes too long for {} bytes of text", text.size()));
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data.get());
    const std::size_t begin = ends[0], end = ends[1];
    const bool is_repeated = begin == end && !found.empty() && found.back().end == end;
    if (!is_repeated) {
      found.push_back({begin, end});
      at = end;
    } else if (at < text.size()) {
      next_code_point(text, at);
    } else {
      break;
    }
  }
  return found;
}

void SplitPattern::split(std::vector<std::string_view>& parts) const {
  std::vector<std::string_view> result;
  for (const std::string_view part : parts) {
    std::size_t done = 0;  // where the next part begins
    for (const auto [begin, end] : matches(part)) {
      if (begin == end) continue;
      if (begin > done) result.push_back(part.substr(done, begin - done));
      result.push_back(part.substr(begin, end - begin));
      done = end;
    }
    if (done < part.size()) result.push_back(part.substr(done));
  }
  parts = std::move(result);
}

}  // namespace attend::detail
