#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/attention/attention.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/files/atomic_file.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/inspect/explorer_json.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {
namespace {

void show_translation(const TranslationModel& model, AttentionArguments& arguments,
                      const OptionBinding& binding, AtomicFile& page) {
  if (arguments.why) throw ConfigError("--why: expected a classifier, got a model for translation");
  const TranslationEngine translator(model);
  binding.use_defaults(translator.default_options(), arguments.translation);
  const ScoredPair pair = binding.is_set("target")
                              ? given_pair(translator, arguments.text, arguments.target,
                                           arguments.translation.languages)
                              : translated_pair(translator, arguments.text, arguments.translation);
  const std::vector<HeadEffect> effects = head_effects(arguments, {pair.src, pair.tgt}, 0);
  page.write(attention_page(translator.model(), pair, effects));
  page.commit();
  if (arguments.format == OutputFormat::json) {
    nlohmann::ordered_json json{{"translation", pair.target},
                                {"log_probability", pair.log_probability}};
    if (!effects.empty()) json["heads"] = to_json(effects);
    json["page"] = arguments.out;
    return answer("{}\n", json_text(json, 1));
  }
  answer("{}\n", pair.target);
  print(effects);
  answer("page: {}\n", shown_path(arguments.out));
}

void show_text(const EmbeddingModel& model, const AttentionArguments& arguments, AtomicFile& page) {
  if (arguments.why) throw ConfigError("--why: expected a classifier, got a model for embedding");
  if (arguments.importance)
    throw ConfigError("--importance: expected a model with an answer, got one for embedding");
  if (!arguments.target.empty())
    throw ConfigError("--target: expected a model for translation, got one for embedding");
  const EmbeddedText text = embedded_text(model, arguments.text);
  page.write(attention_page(model, text));
  page.commit();
  const AttentionEntropy entropy = attention_entropy(attention_maps(model, text.ids));
  if (arguments.format == OutputFormat::json)
    return answer("{}\n", json_text(nlohmann::ordered_json{{"attention", to_json(entropy)},
                                                           {"page", arguments.out}},
                                    1));
  answer("{}\npage: {}\n", entropy.summary(), shown_path(arguments.out));
}

void run_attention(AttentionArguments& arguments, const OptionBinding& binding) {
  if (arguments.importance) binding.refuse_beside("--importance", {"heads-off", "attention-beta"});
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  // Checks that it can be written before translating.
  AtomicFile page(arguments.out);
  visit_model(
      *load_model(model_path(arguments.model), arguments.changes),
      [&](const TranslationModel& model) { show_translation(model, arguments, binding, page); },
      [&](const ClassificationModel& model) { show_classification(model, arguments, page); },
      [&](const EmbeddingModel& model) { show_text(model, arguments, page); },
      [&](const LanguageModel& model) { show_text(model, arguments, page); },
      [&](const SavedModel& model) {
        throw wrong_task(model.source,
                         "translation, classification, embedding or language modeling",
                         model.task());
      });
}

}  // namespace

void add_attention_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "attention",
                  "Write a page for the browser that shows the attention of a model on a text");
  const auto arguments = std::make_shared<AttentionArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  add_argument(command, arguments->text,
               {"text", "TEXT", "sentence to translate, or text to classify, embed or predict"});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_attention(*arguments, binding); });
}

}  // namespace attend
