#include <nlohmann/json.hpp>

#include "attend/cli/commands/attention/attention.h"
#include "attend/cli/output.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"

namespace attend {

void show_text(const LanguageModel& model, const AttentionArguments& arguments, AtomicFile& page) {
  if (arguments.why)
    throw ConfigError("--why: expected a classifier, got a language model; see attend explain");
  if (!arguments.target.empty())
    throw ConfigError("--target: expected a model for translation, got a language model");
  const ScoredText text = scored_text(model, arguments.text);
  const std::vector<HeadEffect> effects = head_effects(arguments, {text.ids}, 0);
  page.write(attention_page(model, text, effects));
  page.commit();
  if (arguments.format == OutputFormat::json) {
    nlohmann::ordered_json json{{"log_probability", json_number(text.log_probability)}};
    if (!effects.empty()) json["heads"] = to_json(effects);
    json["page"] = arguments.out;
    return answer("{}\n", json_text(json, 1));
  }
  answer("log-probability {:.4f}\n", text.log_probability);
  print(effects);
  answer("page: {}\n", shown_path(arguments.out));
}

}  // namespace attend
