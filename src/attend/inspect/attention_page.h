// A page that shows a model's attention: one self-contained HTML file.
//
// It shows the weights of every layer and head for one sentence pair, by words and by tokens. Its
// markup, style and script are in inspect/attention_page/; docs/attention.md explains how to read
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/inspect/class_explanation.h"
#include "attend/inspect/scored_pair.h"
#include "attend/inspect/scored_text.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

// The page, a function of its arguments alone. Weights are rounded to multiples of 1/255.
std::string attention_page(const TranslationModel& model, const ScoredPair& pair);

// A text with its classification.
struct ClassifiedText {
  std::string text;
  std::vector<std::int32_t> ids;  // the part that the classifier reads
  Classification classes;
  std::vector<WordEffect> effects;  // of leaving out words; empty: not requested
  AttentionEntropy entropy;
};

// Shows the part of the text that the classifier reads, its max-length. Throws DataError if the
// text is empty or not UTF-8.
ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text);
// The same with the effects of its words. Throws as word_effects() does, too.
ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text);

// The same page for a classifier: only the encoder's self-attention, after the effects of the words
// if there are any.
std::string attention_page(const ClassificationModel& model, const ClassifiedText& text);

// A text of an embedding model, which has no answer but a vector.
struct EmbeddedText {
  std::string text;
  std::vector<std::int32_t> ids;  // what the model reads of it
  AttentionEntropy entropy;
};

// Shows the part of the text that the model reads. Throws DataError if the text is empty or not
// UTF-8.
EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text);
std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text);

// The same page for a text of a language model: the decoder's self-attention. The row of a word
// holds the weights that predicted it.
std::string attention_page(const LanguageModel& model, const ScoredText& text);

// A file of the same page for a server, which answers its script: "explore.html", "explore.css" or
// "explore.js".
std::string explorer_page_file(std::string_view name);

// attend for browsers, as `make wasm` makes it: attend.js and attend.wasm.
struct PageEngine {
  std::string script;
  std::string wasm;
};

// A model in a page.
struct PageModel {
  std::string name;
  std::string file;  // the bytes of a model file
  std::string text;  // what the page shows first; empty: nothing
};

// The same page as one file, whose script asks the engine in it instead of a server.
std::string explorer_page(const PageEngine& engine, const PageModel& model);

}  // namespace attend
