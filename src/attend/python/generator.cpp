#include "attend/generator.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <functional>

#include "attend/error.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/tasks/language/engine.h"

namespace nb = nanobind;

namespace attend {

namespace {

GenerationOptions options_of(const Generator& generator, const nb::dict& keywords) {
  GenerationOptions options = generator.default_options();
  set_keywords(option_fields(options), keywords);
  const bool searches = options.beam.beam_size > 0;
  for (const char* name : {"temperature", "top_k", "top_p", "seed"})
    if (searches && keywords.contains(name))
      throw ConfigError(fmt::format("{}: is for sampling, not for beam_size", name));
  if (!searches && keywords.contains("length_penalty"))
    throw ConfigError("length_penalty: needs beam_size");
  return options;
}

// The samples or, with beam_size, what the search has found: n_best of them.
std::vector<Generation> generate(const Generator& generator, const std::string& prompt,
                                 const nb::dict& keywords) {
  const GenerationOptions options = options_of(generator, keywords);
  const nb::gil_scoped_release released;
  if (options.beam.beam_size > 0) return generator.generate_best(prompt, options);
  std::vector<Generation> samples;
  for (int i = 0; i < options.n_best; ++i)
    samples.push_back(generator.generate(prompt, options, {}, static_cast<std::uint64_t>(i)));
  return samples;
}

// Calls accept(text) as the continuation grows.
Generation stream(const Generator& generator, const std::string& prompt, const nb::dict& keywords,
                  const nb::callable& accept) {
  const GenerationOptions options = options_of(generator, keywords);
  const auto forward = [&accept](std::string_view more) {
    const nb::gil_scoped_acquire acquired;
    accept(nb::str(more.data(), more.size()));
  };
  const nb::gil_scoped_release released;
  return generator.generate(prompt, options, forward);
}

std::vector<SequenceScore> score(const Generator& generator,
                                 const std::vector<std::string>& lines) {
  const nb::gil_scoped_release released;
  return generator.score(lines);
}

void add_generation_classes(nb::module_& module) {
  nb::class_<Generation>(module, "Generation", "A continuation of a prompt.")
      .def_ro("text", &Generation::text, "The continuation, without the prompt.")
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
  nb::class_<SequenceScore>(module, "SequenceScore", "How likely a model finds a text.")
      .def_ro("log_probability", &SequenceScore::log_probability,
              "Natural logarithm, of all tokens and the end.")
      .def_ro("token_scores", &SequenceScore::token_scores, "Of each token, and of the end.")
      .def("__repr__", [](const SequenceScore& s) {
        return fmt::format("SequenceScore(log_probability={:.4f})", s.log_probability);
      });
}

}  // namespace

void add_generator(nb::module_& module) {
  add_generation_classes(module);
  nb::class_<Generator>(module, "Generator")
      .def(nb::new_([](const std::filesystem::path& path, int threads) {
             const nb::gil_scoped_release released;
             return Generator::load(path, runtime_of(threads));
           }),
           nb::arg("path"), nb::arg("threads"))
      .def("tokenizer", [](const Generator& g) { return g.tokenizer(); })
      .def("generate", generate, nb::arg("prompt"), nb::arg("options"))
      .def("stream", stream, nb::arg("prompt"), nb::arg("options"), nb::arg("accept"))
      .def("score", score, nb::arg("lines"))
      .def(
          "perplexity",
          [](const Generator& g, const std::vector<std::string>& lines) {
            const nb::gil_scoped_release released;
            return g.perplexity(lines).per_token();
          },
          nb::arg("lines"));
}

}  // namespace attend
