// What fuzz targets do with a tokenizer that was not refused.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/text_stream.h"
#include "attend/text/tokenizer.h"

namespace attend {

inline const std::vector<std::string>& fuzz_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all{
        "",
        "  ",
        "the small dog reads a red house.",
        "Ｔｈｅ ｓｍａｌｌ ﬁsch ½ e\u0301\u0301 ﷺ \u00A0\u3000x\u200B\u2028y",
        "unknown 京都 🤖🤖🤖 letters\tand tabs",
        "\xFF\xC3\xE2\x96 broken \xF0\x9F bytes \x80",
        "\u2581\u2581 \u2581a",
        std::string("zero \0 byte", 11),
        std::string(300, 'a')};
    std::string every, run;
    for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
    for (int i = 0; i < 1700; ++i) run += "京";
    all.push_back(every);
    all.push_back("a " + run + " b " + run);
    return all;
  }();
  return texts;
}

inline void require_of_tokenizer(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline void decode_every_token(const Tokenizer& tokenizer) {
  std::vector<std::int32_t> all;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) all.push_back(id);
  require_of_tokenizer(is_utf8(tokenizer.decode(all)), "pieces that are not UTF-8");
}

// Encodes the texts and `more`, and decodes what comes of it.
inline void use_tokenizer(const Tokenizer& tokenizer, std::string_view more = {}) {
  const auto require = require_of_tokenizer;
  std::vector<std::string> texts = fuzz_texts();
  texts.emplace_back(more);
  for (const std::string& text : texts) {
    std::vector<std::int32_t> ids;
    try {
      ids = tokenizer.encode(text);
    } catch (const DataError&) {  // a model that cannot encode it
      continue;
    }
    for (const std::int32_t id : ids)
      require(id >= 0 && id < tokenizer.vocab_size(), "an id outside the vocabulary");
    const std::string decoded = tokenizer.decode(ids);
    require(is_utf8(decoded), "decoded text that is not UTF-8");
    require(decoded.find('\n') == std::string::npos, "decoded text of two lines");
    tokenizer.words(ids);
  }
  decode_every_token(tokenizer);
}

}  // namespace attend
