// Checkpoints of fairseq, OpenNMT-py and COMET and directories of eole with one file replaced, or
// the pickle of one: a model, or an error. The first byte of an input tells which the rest is.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "core/written_zip.h"
#include "fuzz/fuzz_target.h"

namespace attend::checkpoint_model_fuzz {
namespace {

// Models, and files in them that are replaced.
struct Replaced {
  const char *model, *file;
};
constexpr std::array kFiles{Replaced{"fairseq_older", "checkpoint_best.pt"},
                            Replaced{"fairseq_older", "bpecodes"},
                            Replaced{"fairseq_older", "dict.en.txt"},
                            Replaced{"eole_joined", "config.json"},
                            Replaced{"eole_words", "vocab.json"},
                            Replaced{"eole_lm_rotary", "config.json"},
                            Replaced{"comet_kiwi", "hparams.yaml"}};
constexpr std::array kPickled{Replaced{"opennmt_older", "model_step_1.pt"},
                              Replaced{"opennmt_lm_older", "model_step_1.pt"},
                              Replaced{"fairseq_lm_words", "checkpoint_best.pt"},
                              Replaced{"comet_unified", "checkpoints/model.ckpt"}};

std::filesystem::path models() {
  return std::filesystem::path(ATTEND_SOURCE_DIR) / "tests/interchange/data/models";
}

TextFiles files_of(const char* model) {
  TextFiles files;
  const std::filesystem::path folder = models() / model;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[std::filesystem::relative(entry.path(), folder).string()] = {
        std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

// The entries of a checkpoint in a ZIP archive, the pickle first.
std::vector<WrittenEntry> entries_of(const std::string& checkpoint) {
  const ZipArchive archive(std::make_shared<const InputFile>("checkpoint", checkpoint));
  std::vector<WrittenEntry> entries;
  for (const ZipEntry& entry : archive.entries()) {
    const auto bytes = archive.read(entry, std::size_t{1} << 24);
    WrittenEntry copy{entry.name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    if (entry.name.ends_with("/data.pkl")) {
      entries.insert(entries.begin(), std::move(copy));
    } else {
      entries.push_back(std::move(copy));
    }
  }
  return entries;
}

void import_files(TextFiles files) {
  try {
    import_model(ModelDirectory("fuzz", std::move(files)));
  } catch (const Error&) {
  }
}

const TextFiles& known_files_of(const char* model) {
  static std::map<std::string, TextFiles> known;
  if (!known.contains(model)) known[model] = files_of(model);
  return known.at(model);
}

void use(std::string_view input) {
  if (input.empty()) return;
  const std::size_t which =
      static_cast<unsigned char>(input.front()) % (kFiles.size() + kPickled.size());
  const bool is_whole = which < kFiles.size();
  const auto& [model, file] = is_whole ? kFiles[which] : kPickled[which - kFiles.size()];
  TextFiles files = known_files_of(model);
  if (is_whole) {
    files[file] = input.substr(1);
  } else {
    std::vector<WrittenEntry> changed = entries_of(files.at(file));
    changed.front().bytes = input.substr(1);
    files[file] = written_zip(changed);
  }
  import_files(std::move(files));
}

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  for (const auto& [model, file] : kFiles)
    inputs.push_back(static_cast<char>(inputs.size()) + known_files_of(model).at(file));
  for (const auto& [model, file] : kPickled)
    inputs.push_back(static_cast<char>(inputs.size()) +
                     entries_of(known_files_of(model).at(file)).front().bytes);
  return inputs;
}

std::vector<std::string> dictionary() {
  return {"#version: 0.1\n",
          "#version: 0.2\n",
          "</w>",
          "@@ 1\n",
          " 1\n",
          "\x88",
          "\x89",
          "N",
          "K\1",
          "K\0",
          "encoder_layers",
          "decoder_layers",
          "share_all_embeddings",
          "encoder_embed_dim",
          "heads",
          "transformer_lm",
          "language_modeling",
          "decoder_input_dim",
          "model_task",
          "max_relative_positions",
          "position_encoding",
          "decoder_start_token",
          "\"heads_kv\": 2",
          "\"rope_config\": {}",
          "\"encoder\": null",
          "itos",
          "ctorch._utils\n_rebuild_tensor_v2\n",
          "cargparse\nNamespace\n",
          "layer_transformation",
          "hidden_sizes",
          "class_identifier: regression_metric\n"};
}

const RegisteredFuzzTarget registered{{"checkpoint_model", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::checkpoint_model_fuzz
