#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/python/models/model_views.h"
#include "attend/python/module.h"
#include "attend/python/numpy.h"
#include "attend/python/released.h"
#include "attend/python/texts.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/registry.h"

namespace nb = nanobind;

namespace attend {

namespace {

// A model with its prompts.
class PromptedEngine {
 public:
  explicit PromptedEngine(const SavedModel& model) : engine_(model) {
    const auto* embedding = dynamic_cast<const EmbeddingModel*>(&model);
    if (embedding != nullptr) prompts_ = embedding->prompts;
  }

  const EmbeddingEngine& engine() const { return engine_; }
  const TextPrompts& prompts() const { return prompts_; }

 private:
  EmbeddingEngine engine_;
  TextPrompts prompts_;
};

using EmbedderView = ModelView<PromptedEngine>;

// The options of `attend embed`, and prompt_text and special_tokens as in C++.
EmbeddingOptions embedding_options(const nb::dict& keywords) {
  EmbeddingOptions options;
  const std::vector<OptionField> fields = option_fields(options);
  for (const auto& [key, value] : keywords) {
    const std::string name = utf8_of(key, "the name of an option");
    if (name == "prompt_text")
      options.prompt_text = nb::cast<std::string>(value);
    else if (name == "special_tokens")
      options.special_tokens = nb::cast<bool>(value);
    else
      set_keyword(fields, key, value);
  }
  return options;
}

// In windows, so that Ctrl-C is noticed between them. Calls accept(embedding) for each text, in
// order.
template <class Accept>
void embed_texts(const EmbedderView& embedder, const EmbeddingOptions& options,
                 const std::vector<std::string>& texts, const Accept& accept) {
  const EnteredRuntime entered(embedder.runtime);
  const EmbeddingEngine& engine = embedder.engine.engine();
  const TextPreparer prepare = engine.preparer(options.preparation);
  answer_texts(
      texts, kPlaceOfTexts, AnswerSink<TextEmbedding>{.accept = accept},
      [&](const std::string& text, const std::string& where) {
        engine.check_length(options.prompt_text.value_or("") + prepare(text), where);
        return text;
      },
      [&](std::span<const std::string> window) { return engine.embed(window, options); });
}

// One row per text: [n, width].
NumpyArray embed(const EmbedderView& embedder, const std::vector<std::string>& texts,
                 const nb::dict& keywords) {
  const EmbeddingOptions options = embedding_options(keywords);
  std::vector<float> values;
  std::size_t width = 0;
  {
    const Released released;
    embed_texts(embedder, options, texts, [&](const TextEmbedding& one) {
      const std::vector<float> row = one.vectors.to_vector();
      if (values.empty()) values.reserve(texts.size() * row.size());
      values.insert(values.end(), row.begin(), row.end());
      width = row.size();
    });
    if (texts.empty()) {
      const EnteredRuntime entered(embedder.runtime);
      width = static_cast<std::size_t>(embedder.engine.engine().vector_width(options));
    }
  }
  return numpy_array(std::move(values), {texts.size(), width});
}

int vector_width(const EmbedderView& embedder) {
  const Released released;
  const EnteredRuntime entered(embedder.runtime);
  return embedder.engine.engine().vector_width({});
}

// For each text its tokens and a row per token: [tokens, width].
std::vector<std::pair<std::vector<std::string>, NumpyArray>> embed_tokens(
    const EmbedderView& embedder, const std::vector<std::string>& texts, const nb::dict& keywords) {
  EmbeddingOptions options = embedding_options(keywords);
  options.pooling = EmbeddingPooling::none;
  std::vector<TextEmbedding> embeddings;
  {
    const Released released;
    embed_texts(embedder, options, texts,
                [&](const TextEmbedding& one) { embeddings.push_back(one); });
  }
  std::vector<std::pair<std::vector<std::string>, NumpyArray>> result;
  for (const TextEmbedding& one : embeddings)
    result.emplace_back(one.tokens, numpy_matrix(one.vectors));
  return result;
}

}  // namespace

void add_embedder(nb::module_& module) {
  nb::class_<EmbedderView>(module, "Embedder")
      .def(nb::new_(&load_view<PromptedEngine>), nb::arg("path"), nb::arg("threads"),
           nb::arg("changes"))
      .def_static("sharing", &view_of<PromptedEngine>, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("layers", [](const EmbedderView& e) { return e.engine.engine().layers(); })
      .def("width", vector_width)
      .def("prompts", [](const EmbedderView& e) { return e.engine.prompts().texts; })
      .def("default_prompt_name", [](const EmbedderView& e) { return e.engine.prompts().usual; })
      .def("similarity",
           [](const EmbedderView& e) {
             const Similarity kind = e.engine.engine().similarity();
             return std::string(enum_names(kind)[static_cast<std::size_t>(kind)]);
           })
      .def("embed", embed, nb::arg("texts"), nb::arg("options"))
      .def("embed_tokens", embed_tokens, nb::arg("texts"), nb::arg("options"));
}

}  // namespace attend
