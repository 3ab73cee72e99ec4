#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/text_input.h"
#include "attend/cli/unanswered_lines.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/loaded_model.h"

namespace attend {
namespace {

struct EmbedArguments {
  std::string model;
  std::string npy;
  bool context = true;
  int window = 1024;
  UnansweredLineOptions lines;
  ThreadOptions threads;
  EmbeddingOptions embedding;
};

template <class Visitor>
void fields(EmbedArguments& a, Visitor&& visit) {
  visit("npy", a.npy,
        "write the vectors to this NumPy file, one per row in the order of the texts, instead of "
        "printing JSON lines");
  visit("context", a.context,
        "vectors that depend on the sentence; --no-context: the static embeddings of the tokens");
  visit("window", a.window, between(1, 1e6),
        "most lines to read ahead; lines that have arrived are answered without waiting for more");
  fields(a.lines, visit);
  fields(a.threads, visit);
  fields(a.embedding, visit);
}

// Numbers with the digits of a float, not of a double.
std::string to_json(const Tensor& vectors, std::int64_t row) {
  return fmt::format("[{}]", fmt::join(vectors.row(row), vectors.row(row) + vectors.cols(), ","));
}

std::string to_json(const TextEmbedding& embedding, EmbeddingPooling pooling) {
  const std::string tokens = json_text(nlohmann::json(embedding.tokens));
  if (pooling != EmbeddingPooling::none)
    return fmt::format("{{\"tokens\":{},\"vector\":{}}}", tokens, to_json(embedding.vectors, 0));
  std::vector<std::string> rows;
  for (std::int64_t t = 0; t < embedding.vectors.dim(0); ++t)
    rows.push_back(to_json(embedding.vectors, t));
  return fmt::format("{{\"tokens\":{},\"vectors\":[{}]}}", tokens, fmt::join(rows, ","));
}

// Format 1.0 of NumPy's files: magic, header padded to a multiple of 64 bytes, then the rows,
// little-endian.
std::string npy_header(std::size_t rows, std::size_t cols) {
  static_assert(std::endian::native == std::endian::little);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ').append("\n");
  std::string magic("\x93NUMPY\x01\x00", 8);
  magic += static_cast<char>(header.size() & 0xff);
  magic += static_cast<char>(header.size() >> 8);
  return magic + header;
}

void write_npy(const std::string& path, std::span<const float> values, std::size_t cols) {
  AtomicFile file(path);
  file.write(npy_header(values.size() / cols, cols));
  file.write(std::as_bytes(values));
  file.commit();
}

std::vector<TextEmbedding> embed(const EmbeddingEngine& embedder, const EmbedArguments& arguments,
                                 std::span<const std::string> texts) {
  return arguments.context ? embedder.embed(texts, arguments.embedding)
                           : embedder.embed_without_context(texts, arguments.embedding.pooling,
                                                            arguments.embedding.preparation);
}

// Embeds line by line.
void embed_lines(const EmbeddingEngine& embedder, const EmbedArguments& arguments, TextInput& input,
                 const AnswerSink<TextEmbedding>& sink) {
  ProgressLine progress = ProgressLine::over_lines("-", /*answering=*/arguments.npy.empty());
  LineReader lines = standard_input();
  input.watch(lines);
  const TextPreparer prepare = embedder.preparer(arguments.embedding.preparation);
  answer_lines(
      lines, static_cast<std::size_t>(arguments.window), progress.counted(sink),
      [&](const std::string& line) {
        if (arguments.context) embedder.check_length(prepare(line), lines.where());
        return line;
      },
      [&](std::span<const std::string> window) { return embed(embedder, arguments, window); });
}

// Counts texts that are longer than an embedding model reads.
class TruncatedTexts {
 public:
  void add(const TextEmbedding& embedding) {
    ++texts_;
    if (embedding.omitted == 0) return;
    ++truncated_;
    longest_ = std::ssize(embedding.tokens);
  }
  void tell_count() const {
    if (truncated_ == 0) return;
    flush_answers();
    tell("attend: {} of {} had more tokens than the {} that the model reads and {} truncated\n",
         readable_count(truncated_), counted(texts_, "text"), longest_,
         truncated_ == 1 ? "was" : "were");
  }

 private:
  std::int64_t texts_ = 0, truncated_ = 0, longest_ = 0;
};

void run_embed(const EmbedArguments& arguments, const OptionBinding& binding) {
  if (arguments.model.empty())
    throw ConfigError("model is required; attend embed --help shows the usage");
  if (!arguments.context && binding.is_set("layer"))
    throw ConfigError("--layer: has no effect with --no-context; leave out one of them");
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const std::shared_ptr<const SavedModel> model =
      LoadedModel::load(model_path(arguments.model))->model();
  const EmbeddingEngine embedder(*model);
  TextInput input(*model, arguments.embedding.preparation);
  UnansweredLines unanswered(arguments.lines);
  TruncatedTexts truncated;
  if (arguments.npy.empty()) {
    const auto print = [&](const TextEmbedding& e) {
      truncated.add(e);
      answer("{}\n", to_json(e, arguments.embedding.pooling));
    };
    const auto leave_empty = [](const LineError& error) { answer("{}\n", json_text(error)); };
    embed_lines(embedder, arguments, input, unanswered.sink<TextEmbedding>(print, leave_empty));
    input.tell_warning();
    truncated.tell_count();
    return unanswered.tell_count();
  }
  std::vector<float> values;
  const TextEmbedding of_nothing = embed(embedder, arguments, std::array<std::string, 1>{}).front();
  const auto append = [&](const TextEmbedding& e) {
    truncated.add(e);
    const std::vector<float> own = e.vectors.to_vector();
    values.insert(values.end(), own.begin(), own.end());
  };
  const auto leave_empty = [&](const LineError&) {
    values.resize(values.size() + static_cast<std::size_t>(of_nothing.vectors.size()));  // zeros
  };
  embed_lines(embedder, arguments, input, unanswered.sink<TextEmbedding>(append, leave_empty));
  write_npy(arguments.npy, values, static_cast<std::size_t>(of_nothing.vectors.cols()));
  input.tell_warning();
  truncated.tell_count();
  unanswered.tell_count();
}

}  // namespace

void add_embed_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "embed", "Print a model's vectors for the lines of standard input");
  const auto arguments = std::make_shared<EmbedArguments>();
  // Not required, because a subcommand may follow.
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp, /*required=*/false});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_embed(*arguments, binding); });
  add_embed_nearest_command(command);
  add_embed_senses_command(command);
}

}  // namespace attend
