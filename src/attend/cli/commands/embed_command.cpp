#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/standard_input.h"
#include "attend/core/atomic_file.h"
#include "attend/core/error.h"
#include "attend/core/quote.h"
#include "attend/inspect/nearest_contexts.h"
#include "attend/inspect/word_senses.h"
#include "attend/tasks/answers.h"

namespace attend {
namespace {

struct SenseOptions {
  std::string senses;
  std::string word;
  std::string plot;
};

template <class Visitor>
void fields(SenseOptions& o, Visitor&& visit) {
  visit("senses", o.senses, "instead of standard input: file of uses of a word, sense TAB text; print how far its senses are apart");
  visit("word", o.word, "the word in them");
  visit("plot", o.plot, "write an SVG with the uses of --senses as points, at --layer");
}

struct EmbedArguments {
  std::string model;
  std::string npy;
  bool context = true;
  int window = 1024;
  ThreadOptions threads;
  EmbeddingOptions embedding;
  NearestOptions nearest;
  SenseOptions senses;
};

template <class Visitor>
void fields(EmbedArguments& a, Visitor&& visit) {
  visit("npy", a.npy,
        "write all vectors, one under the other, into this NumPy file instead of printing JSON lines; with --pooling none the rows of all "
        "texts, one text after the other: the JSON lines say how many tokens each has");
  visit("context", a.context, "vectors that depend on the sentence; without, the static embeddings of the tokens");
  visit("window", a.window, between(1, 1e6), "lines read ahead; 1: every line is answered at once");
  fields(a.threads, visit);
  fields(a.embedding, visit);
  fields(a.nearest, visit);
  fields(a.senses, visit);
}

// Numbers with as many digits as their float has, not as its double would.
std::string to_json(const Tensor& vectors, std::int64_t row) {
  return fmt::format("[{}]", fmt::join(vectors.row(row), vectors.row(row) + vectors.cols(), ","));
}

std::string to_json(const TextEmbedding& embedding, EmbeddingPooling pooling) {
  const std::string tokens = json_text(nlohmann::json(embedding.tokens));
  if (pooling != EmbeddingPooling::none) return fmt::format("{{\"tokens\":{},\"vector\":{}}}", tokens, to_json(embedding.vectors, 0));
  std::vector<std::string> rows;
  for (std::int64_t t = 0; t < embedding.vectors.dim(0); ++t) rows.push_back(to_json(embedding.vectors, t));
  return fmt::format("{{\"tokens\":{},\"vectors\":[{}]}}", tokens, fmt::join(rows, ","));
}

// Format 1.0 of NumPy's files: magic, header padded to a multiple of 64 bytes, then the rows, little-endian.
std::string npy_header(std::size_t rows, std::size_t cols) {
  static_assert(std::endian::native == std::endian::little);
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
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

// Hands on the lines as vectors. Before a line that is wrong throws, everything before it has been handed on.
void embed_lines(const Embedder& embedder, const EmbedArguments& arguments, const std::function<void(const TextEmbedding&)>& accept) {
  LineReader lines = standard_input();
  std::string line;
  answer_all(Conversation<std::string, TextEmbedding>{
      .window = static_cast<std::size_t>(arguments.window),
      .next = [&]() -> std::optional<std::string> {
        if (!lines.next(line)) return std::nullopt;
        if (arguments.context) embedder.check_length(line, lines.where());
        return line;
      },
      .where = [&] { return lines.where(); },
      .answer =
          [&](std::span<const std::string> window) {
            return arguments.context ? embedder.embed(window, arguments.embedding)
                                     : embedder.embed_without_context(window, arguments.embedding.pooling);
          },
      .accept =
          [&](const TextEmbedding& embedding) {
            accept(embedding);
            if (arguments.window == 1) flush_answers();
          },
  });
}

void print_nearest(const Embedder& embedder, const EmbedArguments& arguments) {
  LineReader text = standard_input();
  std::string line;
  if (!text.next(line)) throw DataError("standard input: expected a line with the word in it, found none");
  embedder.check_length(line, text.where());
  LineReader corpus(arguments.nearest.corpus);
  const NearestOptions& options = arguments.nearest;
  for (const WordContext& context : nearest_contexts(embedder, line, options.nearest, corpus, arguments.embedding.layer, options.count))
    answer("{:.4f}\t{}\t{}\n", context.similarity, context.line_number, context.line);
}

WordSenses measured_senses(const Embedder& embedder, const LabelledText& uses, const EmbedArguments& arguments) {
  try {
    return measure_senses(embedder, uses, arguments.senses.word, arguments.embedding.layer);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", arguments.senses.senses, error.what()));
  }
}

void print_senses(const Embedder& embedder, const EmbedArguments& arguments) {
  const SenseOptions& options = arguments.senses;
  const LabelledText uses = read_labelled(std::span(&options.senses, 1), {});
  for (std::size_t i = 0; i < uses.texts.size(); ++i) embedder.check_length(uses.texts[i], fmt::format("{}:{}", options.senses, i + 1));
  const WordSenses result = measured_senses(embedder, uses, arguments);
  for (std::size_t s = 0; s < result.senses.size(); ++s) answer("{}{} {}", s == 0 ? "" : ", ", result.uses[s], printable(result.senses[s]));
  answer("\n{:<18}{:>12}{:>14}{:>15}\n", "vectors", "agreement", "cosine within", "cosine between");
  for (const SenseSeparation& row : result.separations)
    answer("{:<18}{:>12.3f}{:>14.3f}{:>15.3f}\n", row.vectors, row.agreement, row.within, row.between);
  if (options.plot.empty()) return;
  AtomicFile file(options.plot);
  file.write(to_svg(result.plot));
  file.commit();
}

// Options that say nothing without another, or contradict each other.
void check(const EmbedArguments& a, const OptionBinding& binding) {
  const bool nearest = !a.nearest.nearest.empty(), senses = !a.senses.senses.empty();
  const char* const other = nearest ? "nearest" : "senses";
  if (nearest && a.nearest.corpus.empty()) throw ConfigError("--corpus: expected the file to look for the word in, got none");
  if (senses && a.senses.word.empty()) throw ConfigError("--word: expected the word of which the senses are, got none");
  if (!senses && !a.senses.word.empty()) throw ConfigError("--word: expected --senses, the file with the uses of the word, got none");
  if (!senses && !a.senses.plot.empty()) throw ConfigError("--plot: expected --senses, the file with the uses to draw, got none");
  for (const char* name : {"corpus", "count"})
    if (!nearest && binding.is_set(name)) throw ConfigError(fmt::format("--{}: expected --nearest, the word to look for, got none", name));
  if (nearest && senses) throw ConfigError("--nearest and --senses: expected one of them, got both");
  if (!a.npy.empty() && (nearest || senses)) throw ConfigError(fmt::format("--npy: expected no --{}, which prints no vectors", other));
  if (binding.is_set("pooling") && (nearest || senses))
    throw ConfigError(fmt::format("--pooling: expected no --{}, which looks at one word of a text", other));
  if (!a.context && (nearest || senses)) throw ConfigError(fmt::format("--no-context: expected no --{}, which compares contexts", other));
  if (!a.context && binding.is_set("layer")) throw ConfigError("--layer: expected no --no-context, for which there are no layers");
}

void run_embed(EmbedArguments& arguments, const OptionBinding& binding) {
  check(arguments, binding);
  // Who types wants an answer to every line.
  if (!binding.is_set("window") && standard_input_is_terminal()) arguments.window = 1;
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const Embedder embedder = Embedder::load(arguments.model);
  if (!arguments.nearest.nearest.empty()) return print_nearest(embedder, arguments);
  if (!arguments.senses.senses.empty()) return print_senses(embedder, arguments);
  if (arguments.npy.empty()) {
    embed_lines(embedder, arguments, [&](const TextEmbedding& e) { answer("{}\n", to_json(e, arguments.embedding.pooling)); });
    return;
  }
  std::vector<float> values;
  auto columns = static_cast<std::size_t>(embedder.width());
  embed_lines(embedder, arguments, [&](const TextEmbedding& e) {
    const std::vector<float> own = e.vectors.to_vector();
    columns = static_cast<std::size_t>(e.vectors.cols());  // a layer of a recurrent encoder has another width than its input
    values.insert(values.end(), own.begin(), own.end());
  });
  write_npy(arguments.npy, values, columns);
}

}  // namespace

void add_embed_command(CLI::App& app) {
  CLI::App& command = add_command(app, "embed", "Vectors of the lines of standard input, as a model sees them");
  const auto arguments = std::make_shared<EmbedArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file"});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_embed(*arguments, binding); });
}

}  // namespace attend
