#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_decoding.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/text_input.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/loaded_model.h"

namespace attend {
namespace {

struct GenerateArguments {
  std::string model;
  std::string prompt;
  std::string prompt_read;  // by the model
  bool echo = true;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
  GenerationOptions generation;
};

template <class Visitor>
void fields(GenerateArguments& a, Visitor&& visit) {
  visit("prompt", a.prompt, "text to continue; without --prompt, standard input");
  visit("echo", a.echo, "write the prompt before each continuation");
  visit("format", a.format,
        "text: printed while the model writes; json: one object per continuation");
  fields(a.generation, visit);
  fields(a.threads, visit);
}

// Without the last line break.
std::string read_prompt() {
  LineReader lines = standard_input();
  std::string prompt;
  bool first = true;
  for (std::string line; lines.next(line); first = false) prompt += (first ? "" : "\n") + line;
  return prompt;
}

void look_at_lines(TextInput& input, std::string_view prompt) {
  for (std::size_t begin = 0; begin <= prompt.size();) {
    const std::size_t end = std::min(prompt.find('\n', begin), prompt.size());
    input.look_at(prompt.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string to_json(const Generation& generation, const GenerateArguments& arguments,
                    const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (const std::int32_t id : generation.ids) tokens.push_back(tokenizer.piece(id));
  nlohmann::ordered_json json{{"prompt", arguments.prompt_read},
                              {"text", generation.text},
                              {"tokens", tokens},
                              {"token_log_probabilities", generation.token_scores},
                              {"complete", generation.complete}};
  if (arguments.generation.beam.beam_size > 0) json["score"] = generation.score;
  return json_text(json);
}

// Flushes, so that every token appears at once.
void print(std::string_view text) {
  answer("{}", text);
  flush_answers();
}

// No empty line after the last text. A line has its break; a document, whose breaks are its own,
// gets one in any case.
void end_text(const Generation& generation, const LanguageModel& model, bool more) {
  if (!model.text.has_lines() || !generation.text.ends_with('\n')) print("\n");
  if (more) print("\n");
}

// Text appears while it is written, which shows the progress at a terminal; an object or the result
// of a search does not.
ProgressLine progress_of(bool streams) {
  return ProgressLine("generating", "", progress_on_standard_error(streams));
}

void write_samples(const GenerationEngine& generator, const GenerateArguments& arguments) {
  for (int sample = 0; sample < arguments.generation.n_best; ++sample) {
    const auto number = static_cast<std::uint64_t>(sample);
    ProgressLine progress = progress_of(arguments.format == OutputFormat::text);
    if (arguments.format == OutputFormat::json) {
      const Generation generation =
          generator.generate(arguments.prompt, arguments.generation, {}, number);
      progress.end();
      answer("{}\n", to_json(generation, arguments, generator.model().tokenizer));
      continue;
    }
    bool begun = false;
    const auto accept =
        [&](std::string_view more) {  // prints the prompt only after it was accepted
          if (!begun && arguments.echo) print(arguments.prompt_read);
          begun = true;
          print(more);
        };
    end_text(generator.generate(arguments.prompt, arguments.generation, accept, number),
             generator.model(), sample + 1 < arguments.generation.n_best);
  }
}

void write_best(const GenerationEngine& generator, const GenerateArguments& arguments) {
  ProgressLine progress = progress_of(/*streams=*/false);
  const std::vector<Generation> found =
      generator.generate_best(arguments.prompt, arguments.generation);
  progress.end();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (arguments.format == OutputFormat::json) {
      answer("{}\n", to_json(found[i], arguments, generator.model().tokenizer));
      continue;
    }
    print((arguments.echo ? arguments.prompt_read : "") + found[i].text);
    end_text(found[i], generator.model(), i + 1 < found.size());
  }
}

// Beam search draws nothing at random; samples are not ranked.
void check(const GenerateArguments& a, const OptionBinding& binding, const LanguageModel& model) {
  if (a.generation.beam.beam_size > 0) {
    binding.refuse_beside("--beam-size", {"temperature", "top-k", "top-p", "seed"});
  } else {
    binding.refuse_without("--beam-size", {"length-penalty", "patience"});
  }
  if (model.text.has_lines() && !a.generation.one_line)
    binding.refuse_without("--one-line", {"min-tokens"});
}

void run_generate(GenerateArguments& arguments, const OptionBinding& binding) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const GenerationEngine generator(
      model_as<LanguageModel>(*LoadedModel::load(model_path(arguments.model))->model()));
  check(arguments, binding, generator.model());
  use_model_cache(generator.model(), binding, arguments.generation.cache);
  binding.use_defaults(generator.default_options(), arguments.generation);
  if (!binding.is_set("prompt")) {
    arguments.prompt = read_prompt();
    arguments.generation.prompt_source = "standard input";
  }
  TextInput input(generator.model(), arguments.generation.preparation);
  look_at_lines(input, arguments.prompt);
  arguments.prompt_read = generator.prepared(arguments.prompt, arguments.generation);
  if (arguments.generation.beam.beam_size > 0) {
    write_best(generator, arguments);
  } else {
    write_samples(generator, arguments);
  }
  input.tell_warning();
}

}  // namespace

void add_generate_command(CLI::App& app) {
  CLI::App& command = add_command(app, "generate", "Continue a text with a language model");
  const auto arguments = std::make_shared<GenerateArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_generate(*arguments, binding); });
}

}  // namespace attend
