#include "attend/inspect/attention_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "attend/core/files/embedded_file.h"
#include "attend/core/files/packed/packing.h"
#include "attend/core/strings/html.h"
#include "attend/core/strings/page_text.h"
#include "attend/error.h"
#include "attend/inspect/compact_code.h"
#include "attend/inspect/explored_answer.h"
#include "attend/inspect/explorer_json.h"

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

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : attention_page_files()) {
    if (file.name == name) return file.content;
  }
  throw Error(fmt::format("attention page: no file {} in this build", name));
}

using Values = std::map<std::string_view, std::string>;

// A file with every {{name}} replaced: by a value, else by the file of that name. What is put in is
// not looked at again. What is between {{#name}} and {{/name}} is there if that value is.
std::string filled(std::string_view file, const Values& values) {
  std::string_view rest = embedded(file);
  std::string page;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    page += rest.substr(0, open);
    rest.remove_prefix(close + 2);
    if (name.starts_with('#')) {
      if (!values.contains(name.substr(1)))
        rest.remove_prefix(rest.find(fmt::format("{{{{/{}}}}}", name.substr(1))));
    } else if (!name.starts_with('/')) {
      const auto value = values.find(name);
      page += value == values.end() ? embedded(name) : value->second;
    }
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

// The two kinds of sources: of one that answers anything, and of one with recorded answers.
constexpr std::string_view kAsking = "asking", kRecorded = "recorded";

// The page, whose questions this source answers (live.js).
std::string page_script(std::string_view kind, std::string_view source) {
  return compact_script(filled("explore.js", {{"source", std::string(source)}, {kind, ""}}));
}

std::string page_markup(std::string_view kind, Values values) {
  values[kind] = "";
  values["maps"] = filled("maps.html", {{kind, ""}});
  return compact_lines(filled("explore.html", values));
}

// What a page that is a file may do: nothing that leaves it.
std::string file_style(std::string_view scripts, std::string_view style) {
  return filled("policy.html",
                {{"scripts", std::string(scripts)}, {"style", compact_styles(style)}});
}

// ---- a page with answers

// Files with more numbers than this have no figure: browsers would be slow to open them.
constexpr std::size_t kLargestInside = 8'000'000;

// What a model computes for a text, or why the page does not show it.
template <class Model, class Text>
std::string recorded_inside(const Model& model, const Text& text) {
  std::string reason;
  try {
    std::string json = script_json(inside_answer(model, text, {}));
    if (json.size() <= kLargestInside) return json;
    reason = fmt::format(
        "its numbers take {} MB, and a file holds at most {} MB of them; attend serve shows more",
        (json.size() + 999'999) / 1'000'000, kLargestInside / 1'000'000);
  } catch (const ConfigError& error) {
    reason = error.what();
  }
  return script_json({{"error", reason}});
}

// In one line.
std::string title_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return escaped_html(text);
}

// A heading and a text, whose lines remain.
std::string plain_part(std::string_view heading, std::string_view text) {
  return fmt::format("<h2>{}</h2><p dir=\"auto\">{}</p>", heading,
                     replaced(escaped_html(text), {{'\n', "<br>"}}));
}

// What the page says to readers whose browser runs no script.
std::string plain_answer(const std::string& text, const Json& answer) {
  std::string html = plain_part(answer.contains("translation") ? "Source" : "Text", text);
  if (answer.contains("translation"))
    html += plain_part("Translation", answer["translation"].get<std::string>());
  for (const Json& label : answer.value("classes", Json::array()))
    html += fmt::format("<p dir=\"auto\">{}: {:.1f} %</p>",
                        escaped_html(label["label"].get<std::string>()),
                        100 * label["probability"].get<double>());
  // A number that is none is null.
  if (const Json sum = answer.value("log_probability", Json()); sum.is_number())
    html += fmt::format("<p>log-probability {}{:.2f}</p>", sum < 0 ? "−" : "",
                        std::abs(sum.get<double>()));
  return html;
}

// What was measured beside the answer; empty if it was not asked for.
struct Measured {
  Json effects = Json::array();  // of the words
  std::vector<HeadEffect> heads;
};

template <class Model, class Text>
std::string recorded_page(const std::string& shown, const Measured& measured, const Model& model,
                          const Text& text) {
  Json heads = Json::array();
  for (const HeadEffect& head : measured.heads) heads.push_back(to_json(head));
  const Json answer = explored_answer(model, text);
  const std::string answers = fmt::format(
      "{{\"text\":{},\"effects\":{},\"heads\":{},"
      "\"answers\":{{\"/explore\":{},\"/explore/inside\":{}}}}}",
      script_json(shown), script_json(measured.effects), script_json(heads), script_json(answer),
      recorded_inside(model, text));
  const std::string script =
      filled("recorded.html",
             {{"recorded", answers},
              {"explorer", inline_script(page_script(kRecorded, embedded("recorded_source.js")))}});
  return page_markup(kRecorded, {{"style", file_style("", filled("explore.css", {}))},
                                 {"title", "Attention: " + title_of(shown)},
                                 {"place", ""},
                                 {"plain", plain_answer(shown, answer)},
                                 {"script", script}});
}

constexpr const char* kTitle = "attend: explore attention";

}  // namespace

std::string attention_page(const TranslationModel& model, const ScoredPair& pair,
                           const std::vector<HeadEffect>& heads) {
  return recorded_page(pair.source, {.heads = heads}, model, pair);
}

std::string attention_page(const ClassificationModel& model, const ClassifiedText& text,
                           const std::vector<HeadEffect>& heads) {
  Measured measured{.heads = heads};
  for (const WordEffect& effect : text.effects)
    measured.effects.push_back(to_json(effect, text.classes.probability()));
  return recorded_page(text.text, measured, model, text);
}

std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text) {
  return recorded_page(text.text, {}, model, text);
}

std::string attention_page(const LanguageModel& model, const ScoredText& text,
                           const std::vector<HeadEffect>& heads) {
  return recorded_page(text.text, {.heads = heads}, model, text);
}

std::string explorer_page_file(std::string_view name) {
  if (name.ends_with(".css")) return compact_styles(filled(name, {}));
  if (name.ends_with(".js")) return page_script(kAsking, embedded("server_source.js"));
  return page_markup(kAsking,
                     {{"style", "<link rel=\"stylesheet\" href=\"/explore.css\">\n"},
                      {"title", kTitle},
                      {"place", "<a href=\"/\">jobs</a>"},
                      {"plain", ""},
                      {"script", "<script src=\"/explore.js\" type=\"module\"></script>\n"}});
}

std::string explorer_page(const PageEngine& engine, const PageModel& model) {
  const std::string source =
      fmt::format("{}{}{}{}", embedded("page_text.js"), embedded("engine_source.js"),
                  embedded("own_model.js"), embedded("view_train.js"));
  const std::string style = fmt::format("{}{}{}", filled("explore.css", {}),
                                        embedded("own_model.css"), embedded("train.css"));
  const std::string script =
      filled("engine.html", {{"page", script_json({{"name", model.name}, {"texts", model.texts}})},
                             {"engine", to_page_text(packed_gzip(engine.wasm))},
                             {"model", to_page_text(packed_gzip(model.file))},
                             {"attend.js", inline_script(engine.script)},
                             {"explorer", inline_script(page_script(kAsking, source))}});
  return page_markup(kAsking,
                     {{"style", file_style(" 'wasm-unsafe-eval'; worker-src blob:", style)},
                      {"title", kTitle},
                      {"place", std::string(embedded("own_model.html"))},
                      {"plain", ""},
                      {"script", script}});
}

}  // namespace attend
