// What `attend attention` shows: of each kind of model the function that does it.
// attention_command.cpp binds the options and picks the function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "attend/cli/output_format.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/options/options.h"
#include "attend/core/options/thread_options.h"
#include "attend/inspect/class_explanation.h"
#include "attend/inspect/head_importance.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

struct AttentionArguments {
  std::string model;
  std::string text;
  std::string target;
  bool why = false;
  bool importance = false;
  OutputFormat format = OutputFormat::text;
  std::string out = "attention.html";
  ThreadOptions threads;
  TranslationOptions translation;
  AttentionChangeOptions changes;
};

template <class Visitor>
void fields(AttentionArguments& a, Visitor&& visit) {
  visit("target", a.target, "show the attention for this translation instead of the model's own");
  visit("why", a.why,
        "with a classifier: leave out each word of the text in turn, and show how the probability "
        "of the class changes");
  visit("importance", a.importance,
        "switch off each attention head in turn, and show how the log-probability of the "
        "translation or class changes, also in the page");
  visit("format", a.format, "output: text for people, json for programs");
  visit("out", a.out, "HTML page to write");
  fields(a.threads, visit);
  fields(a.translation.beam, [&](std::string_view name, auto& value, const auto&... rest) {
    if (name != "n-best") visit(name, value, rest...);  // a page shows one translation
  });
  fields(a.translation.languages, visit);
  fields(a.changes, visit);
}

// What each head of the model does for an answer (head_effects()); empty without --importance.
std::vector<HeadEffect> head_effects(const AttentionArguments& arguments, const GoldenInput& input,
                                     std::size_t output);
// Shows people the heads that matter most; prints nothing if there are none.
void print(const std::vector<HeadEffect>& effects);
// [{"module": "decoder.layers.0.cross_attn", "head": 0, "change": -0.31}, ...]
nlohmann::ordered_json to_json(const std::vector<HeadEffect>& effects);

// Scores the text, writes the page and prints the log-probability.
void show_text(const LanguageModel& model, const AttentionArguments& arguments, AtomicFile& page);

// Classifies the text, writes the page and prints the answer.
void show_classification(const ClassificationModel& model, const AttentionArguments& arguments,
                         AtomicFile& page);

}  // namespace attend
