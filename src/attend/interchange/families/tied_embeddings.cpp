#include "attend/interchange/families/tied_embeddings.h"

#include <algorithm>
#include <string>

#include "attend/interchange/weights/foreign_weights.h"

namespace attend {

bool same_tables(TensorTable& weights, std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (!weights.contains(a) || !weights.contains(b)) return false;
  const Tensor first = weights.read(a), second = weights.read(b);
  const auto x = first.span(), y = second.span();
  return first.shape() == second.shape() && std::equal(x.begin(), x.end(), y.begin());
}

namespace {

// The tensor, or else the one that it is tied to, or else any that is tied to that.
std::string_view holder(const TensorTable& weights, std::string_view tensor,
                        const EmbeddingTensors& tensors) {
  if (weights.contains(tensor)) return tensor;
  for (const std::string_view other : tensors.all())
    if (weights.contains(other)) return other;
  return tensors.shared;  // reading it says that it is missing
}

TiedEmbeddings ties_between(bool inputs, bool decoder_and_output) {
  if (inputs) return decoder_and_output ? TiedEmbeddings::all : TiedEmbeddings::inputs;
  return decoder_and_output ? TiedEmbeddings::target : TiedEmbeddings::none;
}

}  // namespace

ForeignEmbeddings named_embeddings(TiedEmbeddings tied, std::string_view encoder,
                                   std::string_view decoder, std::string_view output) {
  ForeignEmbeddings found{.tied = tied, .names = {}};
  if (shares_inputs(tied)) {
    found.names.push_back({"embedding.weight", encoder});
  } else {
    found.names.push_back({"src_embedding.weight", encoder});
    found.names.push_back({"tgt_embedding.weight", decoder});
  }
  found.names.push_back({"output_proj.weight", output});
  return found;
}

ForeignEmbeddings find_embeddings(TensorTable& weights, const EmbeddingTensors& tensors,
                                  bool joint) {
  const auto& [shared, encoder, decoder, output] = tensors;
  const TiedEmbeddings tied = ties_between(joint && same_tables(weights, encoder, decoder),
                                           same_tables(weights, decoder, output));
  return named_embeddings(tied, encoder, decoder, output);
}

ForeignEmbeddings find_embeddings(const ModelDirectory& directory, const EmbeddingTensors& tensors,
                                  bool tied, TiedEmbeddings written) {
  const bool one = shares_inputs(written);
  std::string_view encoder = one ? tensors.shared : tensors.encoder,
                   decoder = one ? tensors.shared : tensors.decoder, output = tensors.output;
  TiedEmbeddings found = written;
  if (!directory.is_in_memory()) {
    TensorTable weights = open_huggingface_weights(directory);
    encoder = holder(weights, tensors.encoder, tensors);
    decoder = holder(weights, tensors.decoder, tensors);
    if (tied) output = holder(weights, tensors.output, tensors);
    found =
        ties_between(same_tables(weights, encoder, decoder), same_tables(weights, decoder, output));
  }
  return named_embeddings(found, encoder, decoder, output);
}

bool has_own_output(const ModelDirectory& directory, const NameMap& names) {
  if (directory.is_in_memory()) return false;
  TensorTable weights = open_huggingface_weights(directory);
  const auto name_of = [&](std::string_view ours) {
    const std::string name = names.theirs(ours).name;
    return weights.contains(name) ? name : name.substr(name.find('.') + 1);
  };
  const std::string output = name_of("output_proj.weight"), table = name_of("embedding.weight");
  return weights.contains(output) && !same_tables(weights, output, table);
}

}  // namespace attend
