#include "attend/tasks/translation/pair_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::string_view kSourceMark = "source", kTargetMark = "target";

// One side of a pair, in messages and in marks.
struct Side {
  std::string_view option;
  std::int32_t mark;
  std::string LanguagePair::*name;
};
constexpr Side kSides[] = {
    {"src-lang", PairFormat::kSourceLanguage, &LanguagePair::source},
    {"tgt-lang", PairFormat::kTargetLanguage, &LanguagePair::target},
};

bool has_mark(const PairSpecialTokens& marks, std::int32_t mark) {
  const auto within = [mark](const std::vector<std::int32_t>& list) {
    return std::find(list.begin(), list.end(), mark) != list.end();
  };
  return within(marks.before_source) || within(marks.after_source) || within(marks.before_target);
}

void replace_mark(PairSpecialTokens& marks, std::int32_t mark, std::int32_t token) {
  for (auto* list : {&marks.before_source, &marks.after_source, &marks.before_target})
    std::replace(list->begin(), list->end(), mark, token);
}

std::vector<std::string> names_of(const PairFormat& format) {
  std::vector<std::string> names;
  for (const PairFormat::Language& language : format.languages) names.push_back(language.name);
  return names;
}

// "; did you mean en_XX?", or names that begin like the wanted one, or just the first ones.
std::string advice(const PairFormat& format, const std::string& wanted) {
  constexpr std::size_t kShown = 5, kSameBeginning = 2;
  const std::vector<std::string> names = names_of(format);
  if (const std::string meant = did_you_mean(wanted, names); !meant.empty()) return meant;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (!wanted.empty() && name.starts_with(wanted.substr(0, kSameBeginning)))
      shown.push_back(name);
  if (shown.empty()) shown = names;
  shown.resize(std::min(shown.size(), kShown));
  return fmt::format("; it has {}{}", printable(fmt::format("{}", fmt::join(shown, ", "))),
                     shown.size() < names.size() ? " and others, which attend info lists" : "");
}

std::int32_t token_of(const PairFormat& format, const Side& side, const std::string& name) {
  if (name.empty())
    throw OptionError<ConfigError>("{}: the model is for several languages, expected one of them{}",
                                   as_flag(side.option), advice(format, name));
  for (const PairFormat::Language& language : format.languages)
    if (language.name == name) return language.token;
  throw OptionError<ConfigError>("{}: the model has no language {}{}", as_flag(side.option),
                                 quote(name), advice(format, name));
}

void require_no_choice(const PairFormat& format, const Side& side, const std::string& name) {
  if (name.empty()) return;
  throw OptionError<ConfigError>(
      "{}: {}, there is none to choose; leave it out", as_flag(side.option),
      format.languages.empty() ? "the model is for one pair of languages"
                               : "the model finds the language of the source by itself");
}

}  // namespace

PairSpecialTokens PairFormat::of(const LanguagePair& pair) const {
  PairSpecialTokens result = marks;
  for (const Side& side : kSides) {
    const std::string& given = pair.*side.name;
    if (!has_mark(marks, side.mark)) {
      require_no_choice(*this, side, given);
      continue;
    }
    replace_mark(result, side.mark,
                 token_of(*this, side, given.empty() ? defaults.*side.name : given));
  }
  return result;
}

PairSpecialTokens PairFormat::of_any() const {
  LanguagePair pair = defaults;
  for (const Side& side : kSides)
    if (has_mark(marks, side.mark) && (pair.*side.name).empty())
      pair.*side.name = languages.front().name;
  return of(pair);
}

void PairFormat::set_defaults(const LanguagePair& pair) {
  for (const Side& side : kSides) {
    const std::string& name = pair.*side.name;
    if (name.empty()) continue;
    if (!has_mark(marks, side.mark)) require_no_choice(*this, side, name);
    token_of(*this, side, name);
    defaults.*side.name = name;
  }
}

namespace {

nlohmann::json marks_json(const std::vector<std::int32_t>& marks) {
  nlohmann::json json = nlohmann::json::array();
  for (const std::int32_t mark : marks) {
    if (mark >= 0) {
      json.push_back(mark);
    } else {
      json.push_back(mark == PairFormat::kSourceLanguage ? kSourceMark : kTargetMark);
    }
  }
  return json;
}

std::vector<std::int32_t> read_marks(JsonObject& object, const char* name,
                                     std::int32_t vocabulary) {
  std::vector<std::int32_t> marks;
  for (const nlohmann::json& mark : object.list(name)) {
    if (mark == kSourceMark) {
      marks.push_back(PairFormat::kSourceLanguage);
    } else if (mark == kTargetMark) {
      marks.push_back(PairFormat::kTargetLanguage);
    } else if (mark.is_number_integer() && mark >= 0 && mark < vocabulary) {
      marks.push_back(mark.get<std::int32_t>());
    } else {
      object.refuse(name, R"(tokens of the vocabulary, "source" or "target")");
    }
  }
  return marks;
}

InlineTermMarks read_term_marks(JsonObject object, std::int32_t last_token) {
  const auto token = [&](const char* name) {
    return static_cast<std::int32_t>(object.integer(name, 0, last_token));
  };
  const InlineTermMarks marks{token("begin"), token("end")};
  object.finish();
  return marks;
}

// The smallest vocabulary that a language's token stands in.
std::int32_t smallest_vocabulary(const PairSpecialTokens& marks, const PairVocabularies& sizes) {
  const auto names_a_language = [](const std::vector<std::int32_t>& list) {
    return std::any_of(list.begin(), list.end(), [](std::int32_t mark) { return mark < 0; });
  };
  std::int32_t smallest = std::max(sizes.source, sizes.target);
  if (names_a_language(marks.before_source) || names_a_language(marks.after_source))
    smallest = std::min(smallest, sizes.source);
  if (names_a_language(marks.before_target)) smallest = std::min(smallest, sizes.target);
  return smallest;
}

}  // namespace

std::string pair_format_json(const PairFormat& format) {
  nlohmann::ordered_json json{{"before_source", marks_json(format.marks.before_source)},
                              {"behind_source", marks_json(format.marks.after_source)},
                              {"before_target", marks_json(format.marks.before_target)}};
  if (!format.languages.empty()) {
    for (const auto& [name, token] : format.languages) json["languages"][name] = token;
    json["defaults"] = {format.defaults.source, format.defaults.target};
  }
  if (const SourceContext& context = format.context; context.sentences > 0)
    json["context"] = {{"sentences", context.sentences},
                       {"separator", context.separator},
                       {"tokens", context.tokens}};
  if (format.terms) json["terms"] = {{"begin", format.terms->begin}, {"end", format.terms->end}};
  return json.dump();
}

PairFormat read_pair_format(std::string_view text, const PairVocabularies& vocabularies,
                            const std::string& where) {
  const nlohmann::json json = parse_sorted_json(text, where);
  JsonObject object(json, where);
  PairFormat format;
  format.marks = {read_marks(object, "before_source", vocabularies.source),
                  read_marks(object, "behind_source", vocabularies.source),
                  read_marks(object, "before_target", vocabularies.target)};
  if (format.marks.before_target.empty())
    object.refuse("before_target", "a token that the decoder begins with");
  const bool several = std::any_of(std::begin(kSides), std::end(kSides), [&](const Side& side) {
    return has_mark(format.marks, side.mark);
  });
  if (several) {
    JsonObject names = object.object("languages");
    const std::int32_t most = smallest_vocabulary(format.marks, vocabularies) - 1;
    for (const auto& [name, token] : object.at("languages").items()) {
      if (name.empty()) object.refuse("languages", "names that are not empty");
      format.languages.push_back({name, static_cast<std::int32_t>(names.integer(name, 0, most))});
    }
    const std::vector<std::string> defaults = object.texts("defaults");
    if (format.languages.empty()) object.refuse("languages", "at least one");
    if (defaults.size() != 2) object.refuse("defaults", "two languages");
    try {
      format.set_defaults({defaults[0], defaults[1]});
    } catch (const ConfigError& error) {
      throw OptionError<DataError>("{}: defaults: {}", where, message_of(error));
    }
  }
  if (object.find("context") != nullptr) {
    JsonObject context = object.object("context");
    format.context = {
        static_cast<int>(context.integer("sentences", 1, kMostContext)),
        static_cast<std::int32_t>(context.integer("separator", 0, vocabularies.source - 1)),
        context.integer("tokens", 1, std::numeric_limits<std::int32_t>::max())};
    context.finish();
  }
  if (object.find("terms") != nullptr)
    format.terms = read_term_marks(object.object("terms"), vocabularies.source - 1);
  object.finish();
  return format;
}

}  // namespace attend
