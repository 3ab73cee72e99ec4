#include "attend/tasks/model_file/model_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/model.h"

namespace attend {
namespace {

constexpr std::size_t kLongestName = 200, kLongestDescription = 4000, kLongestLanguage = 35;

void set_text(Checkpoint& model, const std::string& key, const std::string& value) {
  if (value.empty()) {
    model.metadata.erase(key);
  } else {
    model.metadata[key] = value;
  }
}

// A line that can be printed. `what` begins messages.
void require_line(std::string_view what, const std::string& value, std::size_t longest) {
  if (value.size() > longest)
    throw ConfigError(
        fmt::format("{}: expected at most {} bytes, got {}", what, longest, value.size()));
  if (printable(value, longest) != value)
    throw ConfigError(fmt::format("{}: expected a line of text without control characters, got {}",
                                  what, quote(value)));
}

void set_name(Checkpoint& model, const std::string& value) {
  require_line("name", value, kLongestName);
  // Requests mean any model by it.
  if (value == "default") throw ConfigError("name: expected another name than 'default'");
  set_text(model, kNameKey, value);
}

void set_description(Checkpoint& model, const std::string& value) {
  require_line("description", value, kLongestDescription);
  set_text(model, kDescriptionKey, value);
}

void require_language(std::string_view key, const std::string& value) {
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return is_ascii_alphanumeric(c) || c == '-' || c == '_';
  });
  if (!plain || value.size() > kLongestLanguage)
    throw ConfigError(
        fmt::format("{}: expected a language such as en or pt-BR, got {}", key, quote(value)));
}

void set_kind_of_text(Checkpoint& model, const std::string& side, const std::string& value) {
  const std::string key = std::string(kTextKindKey) + side;
  auto kind = read_options_if_any<TextKind>(model, key);
  kind.language = value;
  model.metadata[key] = options_to_json(kind);
}

void set_language(Checkpoint& model, const std::string& value) {
  require_language("language", value);
  if (is_for<TranslationModel>(model))
    throw ConfigError("language: this model has two, src and tgt");
  set_kind_of_text(model, "text", value);
}

// Sets the language of a multilingual model that is meant where a request names none.
void set_default_language(Checkpoint& model, PairFormat format, bool source,
                          const std::string& value) {
  if (value.empty()) (source ? format.defaults.source : format.defaults.target).clear();
  try {
    format.set_defaults(source ? LanguagePair{value, ""} : LanguagePair{"", value});
  } catch (const ConfigError& error) {
    // It begins with an option of other commands.
    const std::string why = error.what();
    throw ConfigError((source ? "src" : "tgt") + why.substr(why.find(':')));
  }
  const auto check = check_model(model);
  if (check && !check->holds())
    throw DataError(
        fmt::format("{}: its results differ from those when it was saved", model.source));
  model.metadata[kPairFormatKey] = pair_format_json(format);
  // They are samples of the default languages.
  if (check) add_golden_samples(model, *load_model(model));
}

void set_side(Checkpoint& model, bool source, const std::string& value) {
  const std::string key = source ? "src" : "tgt";
  require_language(key, value);
  if (!is_for<TranslationModel>(model))
    throw ConfigError(fmt::format("{}: expected a translation model, found one for {}", key,
                                  printable(model.text("attend.task"), 60)));
  const PairFormat format = read_pair_format(model);
  if (format.languages.empty()) return set_kind_of_text(model, key, value);
  set_default_language(model, format, source, value);
}

// What the template spells of the vocabulary's tokens in brackets: "<|user|>", "[INST]".
std::vector<std::string> marks_of(const std::string& source, const Tokenizer& tokenizer) {
  std::vector<std::string> marks;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string& piece = tokenizer.piece(id);
    const bool in_brackets = piece.size() > 2 && ((piece.front() == '<' && piece.back() == '>') ||
                                                  (piece.front() == '[' && piece.back() == ']'));
    if (in_brackets && source.find(piece) != source.npos) marks.push_back(piece);
  }
  return marks;
}

ChatFormat usual_chat_format(const Tokenizer& tokenizer) {
  ChatFormat format;
  const auto add = [&](std::int32_t id, std::string& token) {
    if (id < 0 || tokenizer.piece(id).size() < 2) return;
    token = tokenizer.piece(id);
    format.marks.push_back(token);
  };
  add(tokenizer.bos_id(), format.bos_token);
  add(tokenizer.eos_id(), format.eos_token);
  return format;
}

void set_chat_template(Checkpoint& model, const std::string& value) {
  if (!is_for<LanguageModel>(model))
    throw ConfigError(fmt::format("chat-template: expected a language model, found one for {}",
                                  printable(model.text("attend.task"), 60)));
  if (value.empty()) return set_text(model, kChatKey, "");
  const Tokenizer tokenizer = read_tokenizer(model);
  ChatFormat format = model.metadata.contains(kChatKey)
                          ? ChatFormat::from_json(model.text(kChatKey), kChatKey)
                          : usual_chat_format(tokenizer);
  format.source = value;
  for (std::string& mark : marks_of(value, tokenizer))
    if (std::find(format.marks.begin(), format.marks.end(), mark) == format.marks.end())
      format.marks.push_back(std::move(mark));
  try {
    require_usable(format, tokenizer);
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
  model.metadata[kChatKey] = format.to_json();
}

struct Setting {
  std::string_view key;
  void (*change)(Checkpoint& model, const std::string& value);
};
constexpr std::array kSettings{
    Setting{"name", set_name},
    Setting{"description", set_description},
    Setting{"language", set_language},
    Setting{"src", [](Checkpoint& m, const std::string& value) { set_side(m, true, value); }},
    Setting{"tgt", [](Checkpoint& m, const std::string& value) { set_side(m, false, value); }},
    Setting{"chat-template", set_chat_template},
};

}  // namespace

void change_setting(Checkpoint& model, std::string_view key, const std::string& value) {
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) {
    if (setting.key == key) return setting.change(model, value);
    names.emplace_back(setting.key);
  }
  throw ConfigError(fmt::format("{} cannot be set; expected {}{}", quote(key),
                                fmt::join(names, ", "), did_you_mean(key, names)));
}

}  // namespace attend
