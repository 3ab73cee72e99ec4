#include "attend/tasks/training/initial_vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/language/language_format.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr std::string_view kSpace = "\u2581";  // of SentencePiece
constexpr std::string_view kUnknown = "\uFFFD";

bool is_special(const SpecialTokens& special, std::int32_t id) {
  return id == special.bos || id == special.eos || id == special.pad || id == special.unk;
}

bool is_byte(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>';
}

// The text of a piece, with a space before it if it begins a word; empty for a part of a character.
std::string piece_text(const Tokenizer& tokenizer, TokenizerType type, std::int32_t id) {
  std::string piece = tokenizer.piece(id);
  if (type == TokenizerType::wordpiece)
    return piece.starts_with("##") ? piece.substr(2) : " " + piece;
  if (type == TokenizerType::byte_bpe) {
    piece = tokenizer.decode(std::span(&id, 1));
    return piece.find(kUnknown) == piece.npos ? piece : "";
  }
  for (std::size_t at = 0; (at = piece.find(kSpace, at)) != piece.npos; ++at)
    piece.replace(at, kSpace.size(), " ");
  return piece;
}

std::vector<std::int32_t> parts_of(const Tokenizer& before, const std::string& text) {
  if (is_byte(text)) return {};
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  std::vector<std::int32_t> parts = before.encode(text.substr(begin));
  std::erase(parts, before.unk_id());
  return parts;
}

// The tensors with a row for each token, by the vocabulary: of the source, or of the target.
constexpr std::array<std::string_view, 2> kOfSource{"embedding.weight", "src_embedding.weight"};
constexpr std::array<std::string_view, 3> kOfTarget{"tgt_embedding.weight", "output_proj.weight",
                                                    "output_proj.bias"};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_mappable(const Checkpoint& model) {
  for (const char* entry :
       {"attend.suppressed_tokens", "attend.end_tokens", "attend.pair_format", "attend.chat"})
    if (model.metadata.contains(entry))
      throw OptionError<ConfigError>(
          "{}: {} names tokens of its own vocabulary ({}), which it has to keep",
          as_key("init-vocabulary"), model.source, entry);
  if (model.find("bigram_embedding.weight") != nullptr)
    throw OptionError<ConfigError>(
        "{}: {} has vectors of pairs of tokens ({}), so it has to keep its vocabulary",
        as_key("init-vocabulary"), model.source, as_key("bigram-buckets"));
}

void require_special(const Tokenizer& before, const Tokenizer& now) {
  const auto need = [](std::int32_t had, std::int32_t has, const char* what) {
    if (had >= 0 && has < 0)
      throw OptionError<ConfigError>(
          "{}: expected one with a token for {}, which the model has; found none",
          as_key("init-vocabulary"), what);
  };
  need(before.bos_id(), now.bos_id(), "the beginning of a text");
  need(before.eos_id(), now.eos_id(), "the end of a text");
}

// The id in the new vocabulary of a token that metadata name; -1: it has none.
std::int32_t mapped_id(const VocabularyMap& map, std::int32_t old) {
  for (std::size_t id = 0; id < map.parts.size(); ++id)
    if (map.parts[id].size() == 1 && map.parts[id][0] == old) return static_cast<std::int32_t>(id);
  return -1;
}

// Maps tokens that the model cannot do without.
std::vector<std::int32_t> mapped_ids(const VocabularyMap& map, std::vector<std::int32_t> ids,
                                     const std::string& source) {
  for (std::int32_t& id : ids) {
    id = mapped_id(map, id);
    if (id < 0)
      throw OptionError<ConfigError>(
          "{}: expected one with the token that begins every text of {}, found none",
          as_key("init-vocabulary"), source);
  }
  return ids;
}

// Ends that the new vocabulary lacks are dropped, and what is never written, too.
void map_language_format(const VocabularyMap& map, Checkpoint& model) {
  const auto format = model.metadata.find(kLanguageFormatKey);
  if (format == model.metadata.end()) return;
  const Tokenizer before = read_tokenizer(model, "tokenizer");
  LanguageFormat text = LanguageFormat::from_json(format->second, before, model.source);
  text.prefix = mapped_ids(map, std::move(text.prefix), model.source);
  text.suffix = mapped_ids(map, std::move(text.suffix), model.source);
  if (text.start >= 0) text.start = mapped_id(map, text.start);
  for (std::int32_t& end : text.ends) end = mapped_id(map, end);
  std::erase(text.ends, -1);
  text.forbidden.clear();
  format->second = text.to_json();
}

void map_first_token(const VocabularyMap& map, Checkpoint& model) {
  const auto first = model.metadata.find("attend.first_token");
  if (first == model.metadata.end()) return;
  const std::vector<std::int32_t> old =
      json_ids(parse_json(first->second, first->first), first->first);
  first->second = fmt::format("[{}]", fmt::join(mapped_ids(map, old, model.source), ", "));
}

}  // namespace

std::string VocabularyMap::summary() const {
  const auto all = std::ssize(parts);
  const auto of_all =
      std::count_if(parts.begin(), parts.end(), [](const auto& one) { return one.empty(); });
  std::string text = fmt::format(
      "{} of {} keep their vectors ({:.1f}%), {} begin as the mean of their parts",
      readable_count(kept), counted(all, "piece"),
      100.0 * static_cast<double>(kept) / static_cast<double>(std::max<std::int64_t>(1, all)),
      readable_count(all - kept - of_all));
  if (of_all > 0) text += fmt::format(", {} as that of all", readable_count(of_all));
  return text;
}

VocabularyMap map_vocabulary(const Tokenizer& before, const Tokenizer& now) {
  const TokenizerType type_before = type_of(before), type_now = type_of(now);
  const SpecialTokens &old = before.special_tokens(), &special = now.special_tokens();
  std::unordered_map<std::string, std::int32_t> ids;
  for (std::int32_t id = 0; id < before.vocab_size(); ++id)
    if (!is_special(old, id)) ids.emplace(piece_text(before, type_before, id), id);
  const std::map<std::int32_t, std::int32_t> roles{{special.bos, old.bos},
                                                   {special.eos, old.eos},
                                                   {special.pad, old.pad},
                                                   {special.unk, old.unk}};

  VocabularyMap map;
  for (std::int32_t id = 0; id < now.vocab_size(); ++id) {
    const std::string text = piece_text(now, type_now, id);
    if (const auto role = roles.find(id); role != roles.end()) {
      map.parts.emplace_back();
      if (role->second >= 0) map.parts.back() = {role->second};
    } else if (const auto found = ids.find(text); found != ids.end() && !text.empty()) {
      map.parts.push_back({found->second});
    } else {
      map.parts.push_back(parts_of(before, text));
      continue;
    }
    if (!map.parts.back().empty()) ++map.kept;
  }
  return map;
}

Tensor map_rows(const Tensor& rows, const VocabularyMap& map) {
  const std::int64_t old = rows.shape()[0];
  const auto width = static_cast<std::size_t>(rows.size() / old);
  const std::vector<float> from = rows.to_vector();
  const auto mean_of = [&](auto&& ids, std::vector<float>& to) {
    std::vector<double> sum(width, 0.0);
    for (const auto id : ids)
      for (std::size_t d = 0; d < width; ++d)
        sum[d] += from[static_cast<std::size_t>(id) * width + d];
    for (const double value : sum)
      to.push_back(static_cast<float>(value / static_cast<double>(std::size(ids))));
  };
  std::vector<std::int32_t> every(static_cast<std::size_t>(old));
  for (std::size_t id = 0; id < every.size(); ++id) every[id] = static_cast<std::int32_t>(id);
  std::vector<float> of_all, to;
  mean_of(every, of_all);
  to.reserve(map.parts.size() * width);
  for (const std::vector<std::int32_t>& parts : map.parts) {
    if (parts.empty())
      to.insert(to.end(), of_all.begin(), of_all.end());
    else
      mean_of(parts, to);
  }
  Shape shape = rows.shape();
  const auto size = static_cast<std::int64_t>(map.parts.size());
  return Tensor::from(to, shape.rank() == 1 ? Shape{size} : Shape{size, shape[1]});
}

Tokenizer load_vocabulary(const std::filesystem::path& path) {
  const std::filesystem::path file = model_file_of(path);
  if (file.extension() == ".safetensors") {
    const Checkpoint model = load_checkpoint(file);
    if (model.find("tokenizer") == nullptr)
      throw DataError(fmt::format("{}: expected a model with one vocabulary", file.string()));
    return read_tokenizer(model);
  }
  const FileContent content{InputFile(file)};
  const auto bytes = content.bytes();
  try {
    return Tokenizer::from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

Checkpoint with_vocabularies(const Checkpoint& model, std::span<const Tokenizer> vocabularies,
                             std::vector<std::string>& notes) {
  require_mappable(model);
  const bool two = model.find("tokenizer") == nullptr;
  if (vocabularies.size() != (two ? 2u : 1u))
    throw OptionError<ConfigError>(
        "{}: {} has {}, expected as many, got {}", as_key("init-vocabulary"), model.source,
        two ? "two vocabularies" : "one vocabulary", vocabularies.size());
  std::map<std::string, VocabularyMap> maps;  // by the names of the tokenizers
  const std::vector<std::string> names =
      two ? std::vector<std::string>{"tokenizer.src", "tokenizer.tgt"}
          : std::vector<std::string>{"tokenizer"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tokenizer before = read_tokenizer(model, names[i]);
    require_special(before, vocabularies[i]);
    maps[names[i]] = map_vocabulary(before, vocabularies[i]);
    notes.push_back(fmt::format("{}: {}",
                                !two     ? "vocabulary"
                                : i == 0 ? "source vocabulary"
                                         : "target vocabulary",
                                maps[names[i]].summary()));
  }
  Checkpoint result = model;
  result.metadata.erase("attend.golden");
  map_first_token(maps.at(names.back()), result);
  map_language_format(maps.at(names.back()), result);
  std::erase_if(result.tensors,
                [](const NamedTensor& tensor) { return tensor.name.starts_with("shortlist"); });
  for (auto& [name, tensor] : result.tensors) {
    if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
      tensor = bytes_tensor(vocabularies[static_cast<std::size_t>(at - names.begin())].bytes());
    else if (is_one_of(kOfSource, name))
      tensor = map_rows(tensor, maps.at(names.front()));
    else if (is_one_of(kOfTarget, name))
      tensor = map_rows(tensor, maps.at(names.back()));
  }
  return result;
}

}  // namespace attend
