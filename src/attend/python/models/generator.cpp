#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "attend/api/named_options.h"
#include "attend/inspect/attention_page.h"
#include "attend/python/models/explanations.h"
#include "attend/python/models/model_views.h"
#include "attend/python/module.h"
#include "attend/python/numpy.h"
#include "attend/python/released.h"
#include "attend/python/tokens.h"
#include "attend/python/values.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/learned_positions.h"

namespace nb = nanobind;

namespace attend {

namespace {

using GeneratorView = ModelView<GenerationEngine>;
using Strings = std::vector<std::string>;

GenerationOptions options_of(const GeneratorView& generator, const nb::dict& keywords) {
  GenerationOptions options = generator.engine.default_options();
  set_keywords(option_fields(options), keywords);
  require_effect(options, given_in(keywords));
  return options;
}

// The samples or, with beam_size, what the search has found: n_best of them.
std::vector<Generation> generate(const GeneratorView& generator, const std::string& prompt,
                                 const nb::dict& keywords) {
  const GenerationOptions options = options_of(generator, keywords);
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  return generator.engine.generate(generator.engine.prompt(prompt, options, 0));
}

// Tokens to continue, fewest and most tokens to write, and the random numbers of the first sample.
using TokenPrompt = std::tuple<Strings, int, int, std::uint64_t>;

// The token that lines begin with is put before a prompt unless it is there. Tokens of a document
// stay as they are; without any, it begins as an empty text does.
std::vector<std::int32_t> begun_ids(const Strings& tokens, const LanguageModel& model) {
  std::vector<std::int32_t> ids = ids_of(tokens, model.tokenizer);
  if (!model.text.has_lines()) return ids.empty() ? model.prompt_ids("") : ids;
  const std::int32_t first = model.text.prefix.front();
  if (ids.empty() || ids.front() != first) ids.insert(ids.begin(), first);
  return ids;
}

GenerationPrompt prompt_of(const TokenPrompt& given, const GenerationEngine& engine,
                           GenerationOptions options) {
  const auto& [tokens, shortest, longest, sample] = given;
  options.min_tokens = shortest;
  options.max_tokens = longest;
  return engine.conversation(begun_ids(tokens, engine.model()), options, sample);
}

// Tells Python of the tokens that are sampled for a prompt: accept(continuation, id,
// log-probability, is the last).
std::function<void(const GeneratedToken&)> told_to(const nb::object& accept, int longest,
                                                   const std::vector<std::int32_t>& ends) {
  if (accept.is_none()) return {};
  return [&accept, longest, ends,
          written = std::map<std::size_t, int>()](const GeneratedToken& token) mutable {
    const bool ended = std::find(ends.begin(), ends.end(), token.id) != ends.end(),
               last = ended || ++written[token.item] == longest;
    const nb::gil_scoped_acquire acquired;
    accept(token.item, token.id, token.score, last);
  };
}

// Continues prompts together, each to the end of its line: n_best continuations of each.
std::vector<std::vector<Generation>> generate_tokens(const GeneratorView& generator,
                                                     const std::vector<TokenPrompt>& prompts,
                                                     const TokenLimits& limits,
                                                     const nb::dict& keywords,
                                                     const nb::object& accept) {
  GenerationOptions options = options_of(generator, keywords);
  set_limits(options, limits, generator.engine.model().tokenizer);
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  const std::unique_ptr<RunningGenerations> running = generator.engine.running();
  const std::vector<std::int32_t> ends =
      options.end_ids.empty() ? generator.engine.model().conversation_ends() : options.end_ids;
  for (const TokenPrompt& one : prompts) {
    GenerationPrompt prompt = prompt_of(one, generator.engine, options);
    prompt.grow = told_to(accept, std::get<2>(one), ends);
    running->join(std::move(prompt));
  }
  std::vector<std::vector<Generation>> results(prompts.size());
  while (!running->empty()) {
    for (auto& outcome : running->step()) {
      if (outcome.error) std::rethrow_exception(outcome.error);
      results[outcome.number] = std::move(outcome.result);
    }
  }
  return results;
}

// Calls accept(text) as the continuation grows.
Generation stream(const GeneratorView& generator, const std::string& prompt,
                  const nb::dict& keywords, const nb::callable& accept) {
  const GenerationOptions options = options_of(generator, keywords);
  const auto forward = [&accept](std::string_view more) {
    const nb::gil_scoped_acquire acquired;
    accept(nb::str(more.data(), more.size()));
  };
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  return generator.engine.generate(prompt, options, forward);
}

std::vector<SequenceScore> score(const GeneratorView& generator, const Strings& lines,
                                 const nb::dict& keywords) {
  ScoringOptions options;
  set_keywords(option_fields(options.preparation), keywords);
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  return score_lines(generator.engine.model(), lines, options);
}

// The log-probability of each token but the first.
std::vector<float> scores_of_tokens(const GeneratorView& generator, const Strings& tokens) {
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  const LanguageModel& model = generator.engine.model();
  return score_stream(model, ids_of(tokens, model.tokenizer));
}

// Returns a row for every token of a continuation and for the one after it: [continuation + 1, V].
NumpyArray logits_of(const GeneratorView& generator, const Strings& prompt,
                     const Strings& continuation) {
  Tensor logits;
  {
    const Released released;
    const EnteredRuntime entered(generator.runtime);
    const LanguageModel& model = generator.engine.model();
    std::vector<std::int32_t> ids = begun_ids(prompt, model);
    const std::int64_t first = std::ssize(ids) - 1;
    for (const std::int32_t id : ids_of(continuation, model.tokenizer)) ids.push_back(id);
    require_room("the continuation", std::ssize(ids), 0, model.longest_input());
    RaggedBuilder text;
    text.add(ids);
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Tensor hidden = model.network->hidden(text.build(), pass).value();
    logits = model.network->project(Variable(hidden.slice_rows(first, hidden.rows()))).value();
  }
  return numpy_matrix(logits);
}

std::string page_of_text(const GeneratorView& generator, const std::string& text) {
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  const LanguageModel& model = generator.engine.model();
  return attention_page(model, scored_text(model, text));
}

ExplanationState explain_text(const GeneratorView& generator, const std::string& text,
                              const nb::dict& keywords) {
  ExplanationOptions options;
  set_keywords(option_fields(options), keywords);
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  return state_of(explain(generator.engine.model(), text, options));
}

double perplexity_of_texts(const GeneratorView& generator, const Strings& lines) {
  const Released released;
  const EnteredRuntime entered(generator.runtime);
  return perplexity_of(lines, generator.engine.model()).per_token();
}

void add_generation_classes(nb::module_& module) {
  nb::class_<Generation> generation(module, "Generation", "A continuation of a prompt.");
  generation.def_ro("text", &Generation::text, "The continuation, without the prompt.")
      .def_ro("ids", &Generation::ids, "Its tokens as ids.")
      .def_ro("token_scores", &Generation::token_scores,
              "The log-probability of each token, before temperature and penalties.")
      .def_ro("score", &Generation::score,
              "Their sum; of a beam search divided by length ** length_penalty.")
      .def_ro("complete", &Generation::complete,
              "Whether the end of the line ended it, not max_tokens.")
      .def("__str__", [](const Generation& g) { return g.text; })
      .def("__repr__", [](const Generation& g) {
        return fmt::format("Generation(text={}, score={:.4f})", nb::repr(nb::cast(g.text)).c_str(),
                           g.score);
      });
  add_value_members(generation, &Generation::text, &Generation::ids, &Generation::token_scores,
                    &Generation::score, &Generation::complete);
  nb::class_<SequenceScore> score(module, "SequenceScore", "How likely a model finds a text.");
  score
      .def_ro("log_probability", &SequenceScore::log_probability,
              "Natural logarithm, of all tokens and the end.")
      .def_ro("token_scores", &SequenceScore::token_scores, "Of each token, and of the end.")
      .def_ro("trust", &SequenceScore::trust,
              "How far to trust a translation; None unless trust=True.")
      .def("__repr__", [](const SequenceScore& s) {
        return fmt::format("SequenceScore(log_probability={:.4f})", s.log_probability);
      });
  add_value_members(score, &SequenceScore::log_probability, &SequenceScore::token_scores,
                    &SequenceScore::trust);
}

}  // namespace

void add_generator(nb::module_& module) {
  add_generation_classes(module);
  nb::class_<GeneratorView>(module, "Generator")
      .def(nb::new_(&load_view<GenerationEngine>), nb::arg("path"), nb::arg("threads"),
           nb::arg("changes"))
      .def_static("sharing", &view_of<GenerationEngine>, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("tokenizer", [](const GeneratorView& g) { return g.engine.model().tokenizer; })
      .def("generate", generate, nb::arg("prompt"), nb::arg("options"))
      .def("generate_tokens", generate_tokens, nb::arg("prompts"), nb::arg("limits"),
           nb::arg("options"), nb::arg("accept").none())
      .def("stream", stream, nb::arg("prompt"), nb::arg("options"), nb::arg("accept"))
      .def("score", score, nb::arg("lines"), nb::arg("options"))
      .def("score_tokens", scores_of_tokens, nb::arg("tokens"))
      .def("logits", logits_of, nb::arg("prompt"), nb::arg("continuation"))
      .def("explain", explain_text, nb::arg("text"), nb::arg("options"))
      .def("attention_page", page_of_text, nb::arg("text"))
      .def("perplexity", perplexity_of_texts, nb::arg("lines"));
}

}  // namespace attend
