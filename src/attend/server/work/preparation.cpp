#include "attend/server/work/preparation.h"

#include <array>
#include <utility>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/server/service.h"

namespace attend {
namespace {

struct RequestPreparation : TextPreparation {};

template <class Visitor>
void fields(RequestPreparation& o, Visitor&& visit) {
  fields(static_cast<TextPreparation&>(o), visit);
  target_fields(o, visit);
}

}  // namespace

std::vector<RouteField> with_preparation(std::vector<RouteField> fields) {
  for (const RouteField& field : std::initializer_list<RouteField>{
           {"lowercase", FieldType::flag, "lower-case the text, for a model of lower-cased text"},
           {"normalize_punctuation", FieldType::flag,
            "replace typographic quotes, dashes and spaces as the Moses tools do"},
           {"tokenize", FieldType::text,
            "moses: split words from punctuation, for a model of tokenized text; or none"},
           {"language", FieldType::text,
            "en, de or fr: language of the text, for the last two (the model's)"}})
    fields.push_back(field);
  return fields;
}

std::vector<RouteField> with_target_preparation(std::vector<RouteField> fields) {
  fields = with_preparation(std::move(fields));
  fields.push_back({"tgt_language", FieldType::text,
                    "en, de or fr: language of the translation, for the same (the model's)"});
  fields.push_back({"detokenize", FieldType::flag,
                    "with \"tokenize\": join words and punctuation of translations again (true)"});
  return fields;
}

void require_preparation(const ServedModel& model, const TextPreparation& preparation) {
  try {
    TextPreparer::of_input(model.text_kinds, preparation);
    if (model.is<Translator>() && TextPreparer::restores(preparation))
      TextPreparer::of_target(model.text_kinds, preparation);
  } catch (const ConfigError& error) {
    throw OptionError<ConfigError>("{}: {}", model.place.path, message_of(error));
  }
}

TextPreparation preparation_of(const Call& call) {
  RequestPreparation preparation{call.service.options().preparation};
  const Parameters& p = call.parameters;
  for (const OptionField& field : option_fields(preparation)) {
    const std::string name = snake_case(field.name);
    if (!p.has(name)) continue;
    const std::string value = !field.is_flag()      ? p.text(name)
                              : p.flag(name, false) ? "true"
                                                    : "false";
    set_option(field, std::array{value}, name);
  }
  return preparation;
}

TextPreparer preparer_of(const Call& call, const ServedModel& model) {
  return TextPreparer::of_input(model.text_kinds, preparation_of(call));
}

}  // namespace attend
