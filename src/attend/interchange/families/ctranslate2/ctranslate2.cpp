#include "attend/interchange/families/ctranslate2/ctranslate2.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_encoder.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_language.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_names.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_texts.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/formats/ctranslate2_file.h"
#include "attend/models/make_encoder_decoder.h"

namespace attend {

namespace {

constexpr const char *kModelFile = "model.bin", *kOutputBias = "decoder/projection/bias";

// The first revision whose names are not those of OpenNMT-tf.
constexpr std::uint32_t kFirstRevision = 2;

// What chooses the heads that are shown as an alignment, and what has an effect beside others only.
constexpr std::string_view kIgnoredVariables[] = {
    "embeddings_merge",    "encoder/embeddings_merge",
    "alignment_layer",     "decoder/alignment_layer",
    "alignment_heads",     "decoder/alignment_heads",
    "decoder/scale_alibi", "decoder/alibi_use_positive_positions",
};

void require_revision(const Ctranslate2File& file, const std::string& where) {
  if (file.revision < kFirstRevision)
    throw DataError(fmt::format("{}: expected revision {} of {} or later, found {}", where,
                                kFirstRevision, file.specification, file.revision));
}

// A bias of zeros, which files leave out.
void add_zero_bias(TensorTable& weights, std::int64_t entries) {
  weights.add(
      {.file = weights.where(),
       .name = kOutputBias,
       .type = ElementType::f32,
       .shape = {entries},
       .read = [](std::span<std::byte> to) { std::fill(to.begin(), to.end(), std::byte{0}); }});
}

// Models before revision 7 have what config.json says now among their variables.
void read_older_config(TensorTable& weights, Ctranslate2Config& config) {
  const auto flag = [&](const char* name, bool otherwise) {
    if (!weights.contains(name)) return otherwise;
    const std::vector<std::int64_t> numbers = weights.read_integers(name);
    return !numbers.empty() && numbers.front() != 0;
  };
  config.source_bos = flag("with_source_bos", config.source_bos);
  config.source_eos = flag("with_source_eos", config.source_eos);
  if (!flag("with_target_bos", true)) config.start = config.eos;
}

void require_size(int found, std::size_t expected, const char* side, const std::string& where) {
  if (found != static_cast<std::int64_t>(expected))
    throw DataError(fmt::format("{}: the vocabulary of the {} has {} pieces, its table {} rows",
                                where, side, expected, found));
}

ForeignModel read_translation(TensorTable& weights, const Ctranslate2Places& places,
                              Ctranslate2Config config) {
  read_older_config(weights, config);
  const ModelDirectory& directory = places.model;
  auto [shape, from_zero] = read_ctranslate2_shape(weights, config.epsilon);
  const Ctranslate2Vocabularies vocabularies = read_ctranslate2_vocabularies(directory);
  require_size(shape.src_vocab_size, vocabularies.source.size(), "source", directory.path());
  require_size(shape.tgt_vocab_size, vocabularies.target.size(), "target", directory.path());
  ForeignModel foreign{nullptr, NameMap({})};
  TranslationModel model = read_ctranslate2_texts(
      places, config, {from_zero, shape.positions == PositionKind::relative}, foreign.remarks);
  const ForeignEmbeddings embeddings =
      find_embeddings(weights, ctranslate2_embeddings(weights), vocabularies.joint);
  shape.tie_embeddings = embeddings.tied;
  if (from_zero && !weights.contains(kOutputBias)) add_zero_bias(weights, shape.tgt_vocab_size);
  shape.src_vocab_size = model.src_tokenizer.vocab_size();
  shape.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  model.network = make_encoder_decoder(shape);
  foreign.names = ctranslate2_names(shape, embeddings, from_zero);
  if (directory.contains("vmap.txt"))
    foreign.remarks.emplace_back(
        "vmap.txt, which CTranslate2 uses on request, is not read; `attend shortlist` makes a "
        "shortlist");
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  return foreign;
}

}  // namespace

std::optional<Ctranslate2Model> open_ctranslate2(const ModelDirectory& directory,
                                                 const ModelDirectory& texts) {
  if (!directory.contains(kModelFile)) return std::nullopt;
  Ctranslate2File file = read_ctranslate2_file(directory.open(kModelFile));
  TensorTable& weights = file.variables;
  const Ctranslate2Config config = read_ctranslate2_config(directory);
  ForeignModel foreign{nullptr, NameMap({})};
  if (file.specification == "TransformerSpec") {
    require_revision(file, weights.where());
    foreign = read_translation(weights, {directory, texts}, config);
  } else if (file.specification == "TransformerDecoderSpec") {
    foreign = read_ctranslate2_language(weights, directory, config);
  } else if (file.specification == "TransformerEncoderSpec") {
    foreign = read_ctranslate2_encoder(weights, directory, config);
  } else {
    throw DataError(
        fmt::format("{}: expected a model TransformerSpec, TransformerDecoderSpec or "
                    "TransformerEncoderSpec, found {}",
                    weights.where(), quote(file.specification)));
  }
  foreign.ignorable.insert(foreign.ignorable.end(), std::begin(kIgnoredVariables),
                           std::end(kIgnoredVariables));
  return Ctranslate2Model{std::move(foreign), std::move(weights)};
}

}  // namespace attend
