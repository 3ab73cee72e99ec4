// Classes of tokenizers, each with what it builds around a vocabulary. Private to interchange/.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/json/json_object.h"
#include "attend/interchange/tokenizers/named_tokenizers.h"

namespace attend::detail {

// Settings of one directory with the defaults of a class.
class ClassSettings {
 public:
  explicit ClassSettings(const TokenizerSettings& all);

  bool flag(const char* name, bool usual) { return own_.flag(name, usual); }
  bool has(const char* name) const { return all_.tokenizer.contains(name); }
  std::int64_t integer(const char* name, std::int64_t usual, std::int64_t least, std::int64_t most);
  std::string text(const char* name, const char* usual) { return own_.text(name, usual); }
  // A special token, perhaps an object with the piece as its content.
  std::string token(const char* name, const char* usual);
  [[noreturn]] void refuse(const char* name, const char* what) const { own_.refuse(name, what); }

 private:
  const TokenizerSettings& all_;
  JsonObject own_;
};

// Special tokens that a class names where no file does; "": none.
struct UsualTokens {
  const char *bos = "", *eos = "", *unk = "", *sep = "", *pad = "", *cls = "", *mask = "";
};

struct TokenizerClass {
  std::string_view name;
  const char* model;  // of its tokenizer.json
  void (*build)(ClassSettings&, TokenizerSource&);
  UsualTokens usual;
  const char* file = "";  // the SentencePiece model; "": tokenizer.model
  // Which tokens are added besides the special ones. `pieces`: what a SentencePiece model or an
  // older file lists, `listed`: what tokenizer_config.json lists.
  ExtraTokens (*extra)(ClassSettings&, ExtraTokens pieces, ExtraTokens listed) = nullptr;
  bool mask_takes_space = false, mask_is_normalized = false;
};

const TokenizerClass& class_named(std::string_view name);
// Returns the classes of SentencePiece models (named_sentencepiece.cpp).
std::span<const TokenizerClass> sentencepiece_classes();

// ["[CLS]", 0]: the ids of a post-processor are not used.
nlohmann::json pair_of(const std::string& piece);
// What add_bos_token and add_eos_token put around a text. A tokenizer.json says it itself.
nlohmann::json added_marks(ClassSettings& settings, const char* begin, const char* end);
// The marks around a text of a class: BertProcessing, or RobertaProcessing, which has the second
// mark twice between two texts.
nlohmann::json processing(const char* type, const std::string& begin, const std::string& end);
// A template with tokens before and after the text.
nlohmann::json marks_around(const std::vector<std::string>& before,
                            const std::vector<std::string>& after);

}  // namespace attend::detail
