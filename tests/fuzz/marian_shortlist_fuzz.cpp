// lex.*.bin of Marian against hostile bytes: tokens that the model has, or a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/interchange/formats/marian_shortlist.h"
#include "fuzz/fuzz_target.h"
#include "interchange/written_formats.h"

namespace attend::marian_shortlist_fuzz {
namespace {

void use(std::string_view input) {
  constexpr MarianShortlistShape kShape{.source_tokens = 5, .target_tokens = 7, .shared = true};
  try {
    const Shortlist list = read_marian_shortlist(input, kShape, "lex.bin");
    for (std::int32_t source = 0; source < kShape.source_tokens; ++source)
      for (const std::int32_t token : list.allowed(std::vector{source}))
        if (token < 0 || token >= kShape.target_tokens)
          throw std::logic_error("a token that the model does not have");
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  return {written_marian_shortlist(2, {0, 0, 2, 3}, {5, 3, 4}),
          written_marian_shortlist(100, {0, 1, 2, 3, 4, 5}, {6, 5, 4, 3, 2})};
}

std::vector<std::string> dictionary() {
  return {std::string(8, '\xff'), std::string(8, '\0'), std::string("\1\0\0\0\0\0\0\0", 8)};
}

const RegisteredFuzzTarget registered{{"marian_shortlist", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::marian_shortlist_fuzz
