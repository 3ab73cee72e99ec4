#include "attend/tasks/training/taught_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/bytes.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

constexpr std::size_t kTextsOfPart = 4096;  // texts that a stop may lose
constexpr const char* kTaughtKey = "taught_texts";

std::filesystem::path taught_part(const std::filesystem::path& folder, std::size_t part) {
  return folder / fmt::format("part-{:06}.safetensors", part + 1);
}

std::uint32_t checksum_of(std::span<const std::string> texts) {
  std::uint32_t all = 0;
  for (const std::string& text : texts) all = 31 * all + crc32_of(std::as_bytes(std::span(text)));
  return all;
}

void save_part(std::span<const std::string> texts, const TaughtKind& kind,
               const std::vector<float>& values, bool is_last, const std::filesystem::path& file) {
  std::string lines;
  for (const std::string& text : texts) lines += text + "\n";
  const std::int64_t rows = std::ssize(texts);
  Checkpoint part;
  part.tensors = {{"texts", bytes_tensor(lines)},
                  {"values", Tensor::from(values, {rows, std::ssize(values) / rows})}};
  part.metadata[kTaughtKey] = json_text(
      nlohmann::ordered_json{{"kind", kind.kind}, {"names", kind.names}, {"last", is_last}});
  save_checkpoint(file, part);
}

struct PartInfo {
  TaughtKind kind;
  bool is_last = true;
};

PartInfo info_of(const Checkpoint& part) {
  const auto info = parse_json(part.text(kTaughtKey), part.source);
  try {
    return {{info.at("kind").get<std::string>(), info.at("names").get<std::vector<std::string>>()},
            info.at("last").get<bool>()};
  } catch (const nlohmann::json::exception&) {
    throw DataError(fmt::format("{}: {}: expected a kind, names and whether it is the last part",
                                part.source, kTaughtKey));
  }
}

}  // namespace

void write_taught_texts(std::span<const std::string> texts, const TaughtKind& kind,
                        const TeachTexts& teach, const std::string& settings,
                        const std::filesystem::path& folder,
                        const std::function<void(std::int64_t)>& progress) {
  if (texts.empty()) throw DataError("expected texts for the teachers to read, found none");
  open_part_folder(
      folder,
      fmt::format("# {} texts, checksum {:08x}\n{}", texts.size(), checksum_of(texts), settings),
      "answers");
  for (std::size_t begin = 0; begin < texts.size(); begin += kTextsOfPart) {
    const auto part = texts.subspan(begin, std::min(kTextsOfPart, texts.size() - begin));
    const std::size_t end = begin + part.size();
    const std::filesystem::path file = taught_part(folder, begin / kTextsOfPart);
    if (!std::filesystem::exists(file))
      save_part(part, kind, teach(part), end == texts.size(), file);
    progress(static_cast<std::int64_t>(end));
  }
}

TaughtTexts::TaughtTexts(const std::filesystem::path& folder) : folder_(folder.string()) {
  for (bool more = true; more;) {
    const std::filesystem::path file = taught_part(folder, values_.size());
    if (!std::filesystem::exists(file))
      throw DataError(fmt::format(
          "{}: expected the answers of teachers as attend distill writes them, found {} parts "
          "without the last",
          printable(folder_, 500), values_.size()));
    const Checkpoint part = load_checkpoint(file);
    const PartInfo info = info_of(part);
    if (values_.empty()) kind_ = info.kind;
    more = !info.is_last;
    firsts_.push_back(texts_.size());
    std::string_view lines = tensor_bytes(part.tensor("texts"));
    for (std::size_t end; (end = lines.find('\n')) != lines.npos; lines.remove_prefix(end + 1))
      texts_.emplace_back(lines.substr(0, end));
    values_.push_back(part.tensor("values"));
    const Tensor& values = values_.back();
    if (width_ == 0 && values.shape().rank() == 2) width_ = values.dim(1);
    const auto rows = static_cast<std::int64_t>(texts_.size() - firsts_.back());
    if (values.dtype() != DType::f32 || values.shape() != Shape{rows, width_} || width_ < 1 ||
        rows == 0 || info.kind.names != kind_.names ||
        (!kind_.names.empty() && std::ssize(kind_.names) != width_) || !lines.empty())
      throw DataError(fmt::format("{}: expected numbers for each of {} texts", part.source, rows));
  }
}

std::span<const float> TaughtTexts::row(std::size_t text) const {
  const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), text);
  const auto part = static_cast<std::size_t>(after - firsts_.begin()) - 1;
  const auto width = static_cast<std::size_t>(width_);
  return values_[part].span<float>().subspan((text - firsts_[part]) * width, width);
}

}  // namespace attend
