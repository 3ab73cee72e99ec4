#include "attend/interchange/tokenizers/tokenizer_json.h"

#include "attend/core/json/json.h"
#include "attend/interchange/tokenizers/tokenizer_models.h"

namespace attend {

using detail::ForeignTemplate;
using detail::ForeignVocabulary;

ForeignTokenizer read_tokenizer_json(std::string_view content, const TokenNames& names,
                                     const std::string& where, std::int64_t ids) {
  const nlohmann::json json = parse_sorted_json(content, where);
  JsonObject file(json, where);
  for (const char* ignored : {"version", "truncation", "padding"}) file.find(ignored);
  const ForeignTemplate marks = detail::read_template(file);
  ForeignVocabulary vocabulary(file, names, ids);
  Tokenizer tokenizer = detail::read_foreign_steps(file, vocabulary, marks);
  file.finish();
  return {std::move(tokenizer), vocabulary.ids(marks.prefix), vocabulary.ids(marks.suffix),
          marks.pair};
}

}  // namespace attend
