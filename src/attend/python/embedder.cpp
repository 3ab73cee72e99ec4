#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "attend/python/held_model.h"
#include "attend/python/module.h"
#include "attend/python/numpy.h"
#include "attend/python/texts.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/registry.h"

namespace nb = nanobind;

namespace attend {

namespace {

// A model with its prompts, and without the usual one: for texts with a prompt of their own.
class PromptedEngine {
 public:
  static PromptedEngine load(const std::filesystem::path& path) {
    return PromptedEngine(*load_model(path));
  }
  explicit PromptedEngine(const SavedModel& model) : with_prompts_(model) {
    const auto* embedding = dynamic_cast<const EmbeddingModel*>(&model);
    if (embedding == nullptr) return;
    prompts_ = embedding->prompts.texts;
    if (embedding->prompts.usual.empty()) return;
    EmbeddingModel without = *embedding;
    without.prompts = {};
    without_prompts_.emplace(without);
  }

  const EmbeddingEngine& with_prompts() const { return with_prompts_; }
  const std::map<std::string, std::string>& prompts() const { return prompts_; }
  const EmbeddingEngine& without_prompts() const {
    return without_prompts_ ? *without_prompts_ : with_prompts_;
  }

 private:
  EmbeddingEngine with_prompts_;
  std::optional<EmbeddingEngine> without_prompts_;
  std::map<std::string, std::string> prompts_;
};

using HeldEmbedder = HeldModel<PromptedEngine>;

struct EmbedRequest {
  const EmbeddingEngine& engine;
  std::string before = {};  // put before each text
  EmbeddingOptions options = {};
};

// The options of `attend embed`, and prompt_text, which replaces the prompts of the model.
EmbedRequest embed_request(const HeldEmbedder& embedder, const nb::dict& keywords) {
  const bool own = keywords.contains("prompt_text");
  EmbedRequest request{own ? embedder.engine.without_prompts() : embedder.engine.with_prompts()};
  const std::vector<OptionField> fields = option_fields(request.options);
  for (const auto& [name, value] : keywords) {
    if (utf8_of(name, "the name of an option") == "prompt_text")
      request.before = nb::cast<std::string>(value);
    else
      set_keyword(fields, name, value);
  }
  return request;
}

// In windows, so that Ctrl-C is noticed between them. Calls accept(embedding) for each text, in
// order.
template <class Accept>
void embed_texts(const HeldEmbedder& embedder, const EmbedRequest& request,
                 const std::vector<std::string>& texts, const Accept& accept) {
  const EnteredRuntime entered(embedder.runtime);
  std::size_t next = 0;
  const auto where = [&] { return fmt::format("{}:{}", kTexts, next); };
  answer_all(Conversation<std::string, TextEmbedding>{
      .arrived = [] { return true; },
      .next = [&]() -> std::optional<std::string> {
        if (next == texts.size()) return std::nullopt;
        std::string text = request.before + texts[next++];
        request.engine.check_length(text, where());
        return text;
      },
      .where = where,
      .answer =
          [&](std::span<const std::string> window) {
            return request.engine.embed(window, request.options);
          },
      .sink = {.accept = accept},
  });
}

// One row per text: [n, width].
NumpyArray embed(const HeldEmbedder& embedder, const std::vector<std::string>& texts,
                 const nb::dict& keywords) {
  const EmbedRequest request = embed_request(embedder, keywords);
  std::vector<float> values;
  auto width = static_cast<std::size_t>(request.engine.width());
  {
    const nb::gil_scoped_release released;
    values.reserve(texts.size() * width);
    embed_texts(embedder, request, texts, [&](const TextEmbedding& one) {
      const std::vector<float> row = one.vectors.to_vector();
      values.insert(values.end(), row.begin(), row.end());
      width = row.size();
    });
  }
  return numpy_array(std::move(values), {texts.size(), width});
}

// For each text its tokens and a row per token: [tokens, width].
std::vector<std::pair<std::vector<std::string>, NumpyArray>> embed_tokens(
    const HeldEmbedder& embedder, const std::vector<std::string>& texts, const nb::dict& keywords) {
  EmbedRequest request = embed_request(embedder, keywords);
  request.options.pooling = EmbeddingPooling::none;
  std::vector<TextEmbedding> embeddings;
  {
    const nb::gil_scoped_release released;
    embed_texts(embedder, request, texts,
                [&](const TextEmbedding& one) { embeddings.push_back(one); });
  }
  std::vector<std::pair<std::vector<std::string>, NumpyArray>> result;
  for (const TextEmbedding& one : embeddings)
    result.emplace_back(one.tokens, numpy_matrix(one.vectors));
  return result;
}

}  // namespace

void add_embedder(nb::module_& module) {
  nb::class_<HeldEmbedder>(module, "Embedder")
      .def(nb::new_(&HeldEmbedder::load), nb::arg("path"), nb::arg("threads"), nb::arg("changes"))
      .def_static("sharing", &HeldEmbedder::sharing, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("layers", [](const HeldEmbedder& e) { return e.engine.with_prompts().layers(); })
      .def("width", [](const HeldEmbedder& e) { return e.engine.with_prompts().width(); })
      .def("prompts", [](const HeldEmbedder& e) { return e.engine.prompts(); })
      .def("embed", embed, nb::arg("texts"), nb::arg("options"))
      .def("embed_tokens", embed_tokens, nb::arg("texts"), nb::arg("options"));
}

}  // namespace attend
