#include "attend/tokenizer.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/text/tokenizer.h"

namespace nb = nanobind;

namespace attend {

namespace {

Tokenizer trained_tokenizer(const std::vector<std::string>& sentences, const nb::dict& keywords) {
  TokenizerOptions options;
  set_keywords(option_fields(options), keywords);
  const Released released;
  return Tokenizer::train(sentences, options);
}

SpecialText special_text(bool as_tokens) {
  return as_tokens ? SpecialText::as_tokens : SpecialText::as_text;
}

std::vector<std::vector<std::int32_t>> encode(const Tokenizer& tokenizer,
                                              const std::vector<std::string>& texts, bool special) {
  const Released released;
  std::vector<std::vector<std::int32_t>> ids;
  for (const std::string& text : texts)
    ids.push_back(tokenizer.encode(text, special_text(special)));
  return ids;
}

// The characters [begin, end) of the text that each token stands for.
std::vector<std::pair<std::int64_t, std::int64_t>> offsets(const Tokenizer& tokenizer,
                                                           const std::string& text, bool special) {
  const Released released;
  std::vector<std::int64_t> characters(text.size() + 1);  // that begin before each byte
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t begin = at;
    next_code_point(text, at);
    std::fill(characters.begin() + static_cast<std::ptrdiff_t>(begin),
              characters.begin() + static_cast<std::ptrdiff_t>(at), count);
  }
  characters.back() = count;
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const TokenSpan& span : tokenizer.spans(text, special_text(special)))
    result.emplace_back(characters[span.begin], characters[span.end]);
  return result;
}

}  // namespace

void add_tokenizer(nb::module_& module) {
  nb::class_<Tokenizer>(module, "Tokenizer")
      .def_static("train", trained_tokenizer, nb::arg("sentences"), nb::arg("options"))
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return Tokenizer::from_bytes({static_cast<const char*>(bytes.data()), bytes.size()});
          },
          nb::arg("bytes"))
      .def("to_bytes",
           [](const Tokenizer& t) { return nb::bytes(t.bytes().data(), t.bytes().size()); })
      .def("encode", encode, nb::arg("texts"), nb::arg("special"))
      .def("offsets", offsets, nb::arg("text"), nb::arg("special"))
      .def(
          "decode",
          [](const Tokenizer& t, const std::vector<std::int32_t>& ids) { return t.decode(ids); },
          nb::arg("ids"))
      .def("piece", &Tokenizer::piece, nb::arg("id"))
      .def("id", &Tokenizer::id, nb::arg("piece"))
      .def("vocab_size", &Tokenizer::vocab_size)
      .def("special_ids", [](const Tokenizer& t) {
        const SpecialTokens& special = t.special_tokens();
        nb::dict ids;
        ids["bos"] = special.bos;
        ids["eos"] = special.eos;
        ids["pad"] = special.pad;
        ids["unk"] = special.unk;
        return ids;
      });
}

}  // namespace attend
