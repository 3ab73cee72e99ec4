#include "attend/inspect/attention_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string_view>

#include "attend/core/files/embedded_file.h"
#include "attend/core/files/packed/packing.h"
#include "attend/core/strings/html.h"
#include "attend/core/strings/page_text.h"
#include "attend/error.h"
#include "attend/inspect/attention_data.h"
#include "attend/inspect/compact_code.h"
#include "attend/inspect/inside_data.h"
#include "attend/tasks/explanation/attention_maps.h"

namespace attend {

std::span<const EmbeddedFile> attention_page_files();  // inspect/attention_page/

namespace {

using Json = nlohmann::ordered_json;

// ---- text

std::string replaced(std::string_view text, const std::map<char, std::string_view>& replacements) {
  std::string result;
  for (const char c : text) {
    const auto found = replacements.find(c);
    found == replacements.end() ? result += c : result += found->second;
  }
  return result;
}

// JSON for use inside <script>: cannot close the element or open a comment.
std::string script_json(const Json& json) {
  return replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                  {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

std::string score_text(float log_probability, std::size_t tokens) {
  const double per_token = double{log_probability} / static_cast<double>(tokens);
  return fmt::format("log-probability {:.2f}, {:.1f} % per token", log_probability,
                     100 * std::exp(per_token));
}

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : attention_page_files()) {
    if (file.name == name) return file.content;
  }
  throw Error(fmt::format("attention page: no file {} in this build", name));
}

using Values = std::map<std::string_view, std::string>;

// A file with every {{name}} replaced: by a value, else by the file of that name. What is put in is
// not looked at again.
std::string filled(std::string_view file, const Values& values) {
  std::string_view rest = embedded(file);
  std::string page;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    const auto value = values.find(name);
    page += rest.substr(0, open);
    page += value == values.end() ? embedded(name) : value->second;
    rest.remove_prefix(close + 2);
  }
  return page += rest;
}

// A script within an element.
std::string inline_script(std::string script) {
  for (const std::string_view end : {"</script", "<!--"})
    for (std::size_t at = 0; (at = script.find(end, at)) != std::string::npos; at += end.size())
      script.insert(at + 1, "\\");
  return script;
}

// The explorer, whose questions this source answers (live.js).
std::string explorer_script(std::string_view source) {
  return compact_script(filled("explore.js", {{"source", std::string(source)}}));
}

std::string explorer_markup(Values values) {
  const std::string controls(embedded("controls.html"));
  values["maps"] = filled("maps.html", {{"controls", controls}});
  return compact_lines(filled("explore.html", values));
}

// What the page of a file says besides its maps.
struct PageText {
  std::string title, head;
  std::string begin = {}, end = {};  // around the maps
};

// Files with more numbers than this have no figure: browsers would be slow to open them.
constexpr std::size_t kLargestInside = 8'000'000;

// What the figure shows, if the model has one: `inside` makes it.
template <class Inside>
std::string figure_json(const SavedModel& model, const Inside& inside) {
  if (!model.stack()) return {};
  std::string json = script_json(inside());
  return json.size() <= kLargestInside ? json : "";
}

std::string page_of(const PageText& text, const Json& data, const std::string& inside) {
  return filled("page.html", {{"title", escaped_html(text.title)},
                              {"head", text.head},
                              {"begin", text.begin},
                              {"end", text.end},
                              {"maps", filled("maps.html", {{"controls", ""}})},
                              {"running", inside.empty() ? "" : filled("figure.html", {})},
                              {"data", script_json(data)},
                              {"figure_script", inside.empty() ? "" : filled("figure.js", {})},
                              {"inside", inside}});
}

// ---- a classified text

// From the most probable class to the least; of equal ones the first comes first.
std::string class_rows(const std::vector<std::string>& labels, const Classification& found) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.probabilities[a] > found.probabilities[b];
  });
  std::string rows;
  for (const std::size_t i : order) {
    const float share = found.probabilities[i];
    rows += fmt::format(
        "<tr><th scope=\"row\" dir=\"auto\">{}</th><td>{:.1f} %</td><td class=\"bar\"><span "
        "style=\"width: {:.1f}%\"></span></td></tr>\n",
        escaped_html(labels[i]), 100 * share, 100 * share);
  }
  return rows;
}

// How the probability of the label changes without the word.
float change_of(const WordEffect& effect, const Classification& found) {
  return *effect.probability_without - found.probability();
}

// A word whose absence lowers the probability speaks for the class. Shades grow with the square
// root of the change, as those of weights do.
std::string effect_span(const WordEffect& effect, const Classification& found) {
  const std::string word = escaped_html(effect.word);
  if (!effect.probability_without) return word;
  const float change = change_of(effect, found);
  return fmt::format(
      "<span class=\"{}\" style=\"--shade: {:.3f}\" title=\"without it: {:.1f} % ({:+.1f} "
      "points)\">{}</span>",
      change <= 0 ? "for" : "against", std::sqrt(std::abs(change)),
      100 * *effect.probability_without, 100 * change, word);
}

std::string explanation(const std::string& label, const ClassifiedText& text) {
  std::string words;
  for (const WordEffect& effect : text.effects)
    words += (words.empty() ? "" : " ") + effect_span(effect, text.classes);
  return filled("why.html", {{"words", words}, {"label", escaped_html(label)}});
}

}  // namespace

std::string attention_page(const TranslationModel& model, const ScoredPair& pair) {
  return page_of(
      {.title = pair.source,
       .head = filled("pair.html",
                      {{"source", escaped_html(pair.source)},
                       {"target", escaped_html(pair.target)},
                       {"score", score_text(pair.log_probability, pair.token_scores.size())}})},
      attention_data(model, pair),
      figure_json(model, [&] { return inside_data(model, pair, {}); }));
}

ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text) {
  const ClassificationModel& model = classifier.model();
  if (model.pairs || model.problem_type() == ProblemType::regression)
    throw ConfigError(fmt::format("{}: expected a classifier of single texts, found one of {}",
                                  model.source, model.pairs ? "pairs" : "numbers"));
  page_tokens(classifier.model().tokenizer, text, "the text");
  ClassifiedText result{text, classifier.model().ids(text), {}, {}, {}};
  result.classes = classifier.classify(std::span(&text, 1)).front();
  result.entropy = attention_entropy(attention_maps(classifier.model(), result.ids));
  return result;
}

ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text) {
  ClassifiedText result = classified_text(classifier, text);
  result.effects = word_effects(classifier, text, result.classes.label);
  return result;
}

std::string attention_page(const ClassificationModel& model, const ClassifiedText& text) {
  const std::string& label = model.labels[text.classes.label];
  const bool explained = !text.effects.empty();  // then the text has been shown above the maps
  return page_of({.title = text.text,
                  .head = filled("label.html", {{"label", escaped_html(label)},
                                                {"classes", class_rows(model.labels, text.classes)},
                                                {"why", explained ? explanation(label, text) : ""},
                                                {"entropy", text.entropy.summary()}}),
                  .begin = explained ? "<details>\n<summary>Maps of attention</summary>\n" : "",
                  .end = explained ? "</details>\n" : ""},
                 attention_data(model, model.tokenizer, text.ids), figure_json(model, [&] {
                   return inside_data(model, model.tokenizer, text.ids, {});
                 }));
}

EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text) {
  page_tokens(model.tokenizer, text, "the text");
  EmbeddedText result{text, model.ids(text), {}};
  require_page_length(result.ids, "the text");
  result.entropy = attention_entropy(attention_maps(model, result.ids));
  return result;
}

std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text) {
  return page_of(
      {.title = text.text, .head = filled("text.html", {{"entropy", text.entropy.summary()}})},
      attention_data(model, model.tokenizer, text.ids),
      figure_json(model, [&] { return inside_data(model, model.tokenizer, text.ids, {}); }));
}

std::string attention_page(const LanguageModel& model, const ScoredText& text) {
  const std::string score = score_text(text.log_probability, text.token_scores.size());
  return page_of({.title = text.text, .head = filled("score.html", {{"score", score}})},
                 attention_data(model, text.ids, text.token_scores), figure_json(model, [&] {
                   return inside_data(model, text.ids, text.token_scores, {});
                 }));
}

std::string explorer_page_file(std::string_view name) {
  if (name.ends_with(".css")) return compact_styles(filled(name, {}));
  if (name.ends_with(".js")) return explorer_script(embedded("server_source.js"));
  return explorer_markup({{"style", "<link rel=\"stylesheet\" href=\"/explore.css\">\n"},
                          {"place", "<a href=\"/\">jobs</a>"},
                          {"script", "<script src=\"/explore.js\" type=\"module\"></script>\n"}});
}

std::string explorer_page(const PageEngine& engine, const PageModel& model) {
  const std::string source =
      fmt::format("{}{}{}{}", embedded("page_text.js"), embedded("engine_source.js"),
                  embedded("own_model.js"), embedded("view_train.js"));
  const std::string style = fmt::format("{}{}{}", filled("explore.css", {}),
                                        embedded("own_model.css"), embedded("train.css"));
  const std::string script =
      filled("engine.html", {{"page", script_json({{"name", model.name}, {"text", model.text}})},
                             {"engine", to_page_text(packed_gzip(engine.wasm))},
                             {"model", to_page_text(packed_gzip(model.file))},
                             {"attend.js", inline_script(engine.script)},
                             {"explorer", inline_script(explorer_script(source))}});
  return explorer_markup({{"style", filled("policy.html", {{"style", compact_styles(style)}})},
                          {"place", std::string(embedded("own_model.html"))},
                          {"script", script}});
}

}  // namespace attend
