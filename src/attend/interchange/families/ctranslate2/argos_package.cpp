#include "attend/interchange/families/ctranslate2/argos_package.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr const char *kMetadata = "metadata.json", *kModelFolder = "model",
                     *kModelOfPackage = "model/model.bin", *kPieces = "sentencepiece.model",
                     *kMosesPieces = "bpe.model";
constexpr std::uint64_t kLargestModel = std::uint64_t{8} << 30;

// What the names of a package begin with: nothing, or the one folder that the archive holds.
std::string folder_in(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t end = entry.name.find('/');
    if (entry.name == kMetadata) return "";
    if (end != entry.name.npos && entry.name.substr(end + 1) == kMetadata)
      return entry.name.substr(0, end + 1);
  }
  throw DataError(fmt::format("{}: expected a package of Argos Translate with {}, found none",
                              archive.path(), kMetadata));
}

// Whether a package uses a file of this name.
bool is_of_package(std::string_view name) {
  if (name == kMetadata || name == kPieces || name == kMosesPieces) return true;
  const std::string_view folder = "model/";
  return name.starts_with(folder) && name.size() > folder.size() &&
         name.find('/', folder.size()) == name.npos;
}

// As Argos Translate searches, and with what each output of the decoder begins.
void set_decoding(TranslationModel& model, const std::string& prefix, const std::string& where) {
  model.decoding.beam_size = 4;
  model.decoding.length_penalty = 0.2f;
  if (prefix.empty()) return;
  const std::int32_t token = model.tgt_tokenizer.id(prefix);
  if (token < 0 || token == model.special().unk)
    throw DataError(fmt::format("{}: \"target_prefix\" is {}, which is no piece of the vocabulary",
                                where, quote(prefix)));
  model.format.marks.before_target.push_back(token);
}

}  // namespace

ModelDirectory read_argos_archive(const std::filesystem::path& path) {
  const ZipArchive archive(std::make_shared<const InputFile>(path));
  const std::string folder = folder_in(archive);
  TextFiles files;
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.starts_with(folder)) continue;
    const std::string name = entry.name.substr(folder.size());
    if (!is_of_package(name)) continue;
    const std::vector<std::byte> bytes =
        archive.read(entry, name == kModelOfPackage ? kLargestModel : ModelDirectory::kLargestText);
    files[name].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return {path.string(), std::move(files)};
}

std::optional<ArgosModel> open_argos_package(const ModelDirectory& package) {
  if (!package.contains(kMetadata) || !package.contains(kModelOfPackage)) return std::nullopt;
  const std::string where = package.path() + "/" + kMetadata;
  ForeignConfig metadata = ForeignConfig::from_json(package.text(kMetadata), where);
  metadata.require("type", "translate");
  if (!package.contains(kPieces) && package.contains(kMosesPieces))
    throw DataError(
        fmt::format("{}: its {} needs the words of Moses, which is not supported; only "
                    "{} is",
                    package.path(), kMosesPieces, kPieces));
  ArgosModel read{*open_ctranslate2(package.folder(kModelFolder), package),
                  {metadata.text("from_code"), metadata.text("to_code")},
                  {}};
  for (const auto& [code, key] :
       {std::pair{read.languages.source, "from_name"}, {read.languages.target, "to_name"}})
    if (const std::string name = metadata.text_or(key, ""); !name.empty())
      read.language_names[code] = name;
  ForeignModel& foreign = read.model.foreign;
  const auto* const translation = dynamic_cast<const TranslationModel*>(foreign.model.get());
  if (translation == nullptr)
    throw DataError(fmt::format("{}: expected a translator in the package, found a model for {}",
                                package.path(), foreign.model->task()));
  auto model = std::make_shared<TranslationModel>(*translation);
  set_decoding(*model, metadata.text_or("target_prefix", ""), where);
  foreign.model = std::move(model);
  return read;
}

}  // namespace attend
