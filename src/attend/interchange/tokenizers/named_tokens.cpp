// Which tokens a class adds to its tokenizer, and in which order: tokens that are not in the
// vocabulary get the ids after it in this order.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "attend/core/json/json_object.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/named_classes.h"

namespace attend::detail {
namespace {

using NamesJson = nlohmann::json;

constexpr std::array<const char*, 7> kNamed{"bos_token", "eos_token", "unk_token", "sep_token",
                                            "pad_token", "cls_token", "mask_token"};

// "[MASK]", or an object with the flags of the token.
TokenMention mention_of(const NamesJson& value, const std::string& where, bool special) {
  TokenMention mention{.token = {.text = "", .piece = {.id = -1, .special = true}}};
  if (value.is_string()) {
    mention.token.text = value.get<std::string>();
    return mention;
  }
  JsonObject token(value, where);
  mention.has_flags = true;
  mention.token.text = token.text("content");
  mention.token.piece = {.id = -1,
                         .special = token.flag("special", special),
                         .single_word = token.flag("single_word", false),
                         .lstrip = token.flag("lstrip", false),
                         .rstrip = token.flag("rstrip", false)};
  if (token.find("normalized") != nullptr) mention.normalized = token.flag("normalized");
  return mention;
}

bool is_normalized(const TokenMention& mention) {
  return mention.normalized.value_or(!mention.token.piece.special);
}

bool are_same(const TokenMention& a, const TokenMention& b) {
  const AddedPiece &x = a.token.piece, &y = b.token.piece;
  return a.token.text == b.token.text && a.has_flags == b.has_flags && x.special == y.special &&
         x.lstrip == y.lstrip && x.rstrip == y.rstrip && x.single_word == y.single_word &&
         is_normalized(a) == is_normalized(b);
}

std::int64_t id_of_key(std::string_view text) {
  std::int64_t id = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), id).ptr;
  return end == text.data() + text.size() ? id : -1;
}

class TokenOrder {
 public:
  TokenOrder(std::string_view tokenizer_class, const TokenizerSettings& settings,
             const TokenizerSource& source)
      : class_(is_built_here(tokenizer_class) ? &class_named(tokenizer_class) : nullptr),
        settings_(settings),
        source_(source) {}

  std::vector<NamedToken> run() {
    read_decoder();
    read_named();
    std::vector<TokenMention> tokens;
    for (const auto& [id, token] : decoder_) {
      tokens.push_back(token);
      if (source_.keeps_tokens_raw) tokens.back().normalized = false;
    }
    const std::size_t listed = tokens.size();
    const auto is_known = [&](const TokenMention& one) {
      return std::any_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(listed),
                         [&](const auto& t) { return t.token.text == one.token.text; }) ||
             std::any_of(tokens.begin(), tokens.end(),
                         [&](const auto& t) { return are_same(t, one); }) ||
             (class_ == nullptr && is_in_file(one.token.text));
    };
    for (const auto& [name, token] : named_)
      if (!is_known(token)) tokens.push_back(token);
    for (const TokenMention& token : extra_tokens())
      if (!is_known(token)) tokens.push_back(token);
    return finished(tokens);
  }

 private:
  std::string where(const char* file) const { return settings_.path + "/" + file; }

  const NamesJson* member(const NamesJson& file, const char* name) const {
    const auto found = file.find(name);
    return found == file.end() || found->is_null() ? nullptr : &*found;
  }

  // What a file says of a token that has a name.
  const NamesJson* named(const std::string& name) const {
    const NamesJson* const older =
        settings_.lists_tokens() ? nullptr : member(settings_.map, name.c_str());
    return older != nullptr ? older : member(settings_.tokenizer, name.c_str());
  }

  ExtraTokens list_in(const NamesJson& file, const char* name, const char* file_name) const {
    const NamesJson* const list = member(file, name);
    if (list == nullptr || !list->is_array()) return std::nullopt;
    std::vector<TokenMention> tokens;
    for (const NamesJson& value : *list)
      if (value.is_string() || value.is_object())
        tokens.push_back(mention_of(value, where(file_name), true));
    return tokens;
  }

  bool is_in_file(const std::string& text) const {
    const NamesJson* const added = member(source_.file, "added_tokens");
    return added != nullptr && std::any_of(added->begin(), added->end(), [&](const auto& token) {
             return token.is_object() && token.value("content", "") == text;
           });
  }

  // The tokens that files list with ids, by which they are sorted.
  void read_decoder() {
    if (settings_.lists_tokens()) {
      for (const auto& [id, value] : settings_.tokenizer["added_tokens_decoder"].items())
        decoder_[id_of_key(id)] =
            mention_of(value, where("tokenizer_config.json: added_tokens_decoder"), false);
      return;
    }
    for (const auto& [text, id] : settings_.added.items()) {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      if (!id.is_number_integer())
        throw DataError(where("added_tokens.json") + ": " + text + " has no id");
      TokenMention& token = decoder_[std::clamp<std::int64_t>(id.get<std::int64_t>(), -1, kMost)];
      token = mention_of(text, "", true);
      token.has_flags = true;
      token.token.piece.special = is_named(text);
      token.normalized = !token.token.piece.special;
    }
    if (const NamesJson* const added = member(source_.file, "added_tokens"))
      for (const NamesJson& token : *added)
        if (token.is_object() && token.contains("id") && token["id"].is_number_integer())
          decoder_[token["id"].get<std::int64_t>()] =
              mention_of(token, where("tokenizer.json: added_tokens"), false);
  }

  // Whether tokens of added_tokens.json are special. The original does not look into objects of
  // tokenizer_config.json.
  bool is_named(const std::string& text) const {
    const auto is_text = [&](const TokenMention& one) { return one.token.text == text; };
    for (const char* name : kNamed) {
      const NamesJson* const value = named(name);
      if (value == nullptr) continue;
      const bool in_map = value == member(settings_.map, name);
      if ((value->is_string() || (in_map && value->is_object())) &&
          is_text(mention_of(*value, settings_.path, true)))
        return true;
    }
    const ExtraTokens listed = listed_tokens(),
                      in_map = list_in(settings_.map, "extra_special_tokens", "");
    return (listed && std::any_of(listed->begin(), listed->end(),
                                  [&](const auto& t) { return !t.has_flags && is_text(t); })) ||
           (in_map && std::any_of(in_map->begin(), in_map->end(), is_text));
  }

  void read_named() {
    for (const char* name : kNamed) {
      const NamesJson* const value = named(name);
      const bool is_absent = !settings_.tokenizer.contains(name) &&
                             (settings_.lists_tokens() || !settings_.map.contains(name));
      if (value != nullptr && (value->is_string() || value->is_object())) {
        add_named(name, mention_of(*value, where("tokenizer_config.json"), true));
      } else if (is_absent) {
        if (const std::string usual = usual_token(name); !usual.empty()) {
          add_named(name, mention_of(usual, "", true));
          named_.back().second.token.is_usual = true;
        }
      }
    }
    for (const auto& [name, value] : settings_.tokenizer.items())
      if (name.ends_with("_token") && value.is_string() &&
          std::find(kNamed.begin(), kNamed.end(), name) == kNamed.end())
        add_named(name, mention_of(value, "", true));
    for (const char* list : {"extra_special_tokens", "model_specific_special_tokens"})
      for (const NamesJson* file : {&settings_.tokenizer, &settings_.map})
        read_named_of_model(member(*file, list));
  }

  void read_named_of_model(const NamesJson* more) {
    if (more == nullptr || !more->is_object()) return;
    for (const auto& [name, value] : more->items())
      if (value.is_string() || value.is_object())
        add_named(name, mention_of(value, where("tokenizer_config.json"), true));
  }

  void add_named(const std::string& name, TokenMention token) {
    for (const auto& [id, listed] : decoder_)
      if (listed.token.text == token.token.text) token = listed;
    if (name == "mask_token" && !token.has_flags && class_ != nullptr && class_->mask_takes_space) {
      token.has_flags = token.token.piece.lstrip = true;
      if (class_->mask_is_normalized) token.normalized = true;
    }
    named_.emplace_back(name, std::move(token));
  }

  std::string usual_token(const std::string& name) const {
    for (const auto& [key, text] : source_.names)
      if (key == name) return text;
    if (class_ == nullptr) return "";
    const UsualTokens& usual = class_->usual;
    const std::array texts{usual.bos, usual.eos, usual.unk, usual.sep,
                           usual.pad, usual.cls, usual.mask};
    return texts[static_cast<std::size_t>(std::find(kNamed.begin(), kNamed.end(), name) -
                                          kNamed.begin())];
  }

  // Reads tokenizer_config.json; absent: neither list is there.
  ExtraTokens listed_tokens() const {
    ExtraTokens extra =
        list_in(settings_.tokenizer, "extra_special_tokens", "tokenizer_config.json");
    const ExtraTokens older =
        list_in(settings_.tokenizer, "additional_special_tokens", "tokenizer_config.json");
    if (older && (!extra || extra->empty())) extra = older;
    if (settings_.lists_tokens()) return extra;
    const ExtraTokens map =
        list_in(settings_.map, "extra_special_tokens", "special_tokens_map.json");
    if (!map) return extra;
    if (!extra) extra.emplace();
    extra->insert(extra->end(), map->begin(), map->end());
    return extra;
  }

  std::vector<TokenMention> extra_tokens() const {
    ExtraTokens pieces;
    if (source_.kind == TokenizerSource::Kind::sentencepiece) {
      pieces = source_.pieces;
    } else if (!settings_.lists_tokens()) {
      pieces = list_in(settings_.map, "additional_special_tokens", "special_tokens_map.json");
    }
    const ExtraTokens listed = listed_tokens();
    ClassSettings own(settings_);
    if (class_ != nullptr && class_->extra != nullptr) {
      pieces = class_->extra(own, pieces, listed);
    } else if (listed) {
      pieces = listed;
    }
    return pieces.value_or(std::vector<TokenMention>{});
  }

  std::vector<NamedToken> finished(const std::vector<TokenMention>& tokens) const {
    std::vector<NamedToken> result;
    for (const TokenMention& mention : tokens) {
      NamedToken token = mention.token;
      const bool is_special = std::any_of(named_.begin(), named_.end(), [&](const auto& one) {
        return one.second.token.text == token.text;
      });
      token.piece.special = token.piece.special || is_special;
      token.piece.normalized = mention.normalized.value_or(!token.piece.special);
      result.push_back(std::move(token));
    }
    return result;
  }

  const TokenizerClass* class_;
  const TokenizerSettings& settings_;
  const TokenizerSource& source_;
  std::map<std::int64_t, TokenMention> decoder_;
  std::vector<std::pair<std::string, TokenMention>> named_;
};

}  // namespace

std::vector<NamedToken> added_tokens_of(std::string_view tokenizer_class,
                                        const TokenizerSettings& settings,
                                        const TokenizerSource& source) {
  return TokenOrder(tokenizer_class, settings, source).run();
}

}  // namespace attend::detail
