// A page that shows a model at work: its figure, its attention, its answer.
//
// The page is one, and asks its questions of a source: a server, the engine in a file of
// `attend page`, or the answers that are recorded in a file of `attend attention`, which can show
// one text only. Its markup, style and script are in inspect/attention_page/; docs/attention.md and
// docs/explorer.md explain how to read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/inspect/encoded_text.h"
#include "attend/inspect/head_importance.h"
#include "attend/inspect/scored_pair.h"
#include "attend/inspect/scored_text.h"

namespace attend {

// One file that holds the answers for a pair, a function of its arguments alone. Weights are
// rounded to multiples of 1/255. Throw like explored_answer() and inside_answer(); where a model or
// a text has no figure, the page says why.
// `heads`: what each does, if it was measured. Without JavaScript, the page has the text and the
// answer in words.
std::string attention_page(const TranslationModel& model, const ScoredPair& pair,
                           const std::vector<HeadEffect>& heads = {});
// Shows the effects of the words, too, if there are any.
std::string attention_page(const ClassificationModel& model, const ClassifiedText& text,
                           const std::vector<HeadEffect>& heads = {});
std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text);
std::string attention_page(const LanguageModel& model, const ScoredText& text,
                           const std::vector<HeadEffect>& heads = {});

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
  std::string file;                // the bytes of a model file
  std::vector<std::string> texts;  // examples: the page begins with the first
};

// The same page as one file, whose script asks the engine in it instead of a server.
std::string explorer_page(const PageEngine& engine, const PageModel& model);

}  // namespace attend
