// Changes to the attention of a loaded model, to see what its parts do: heads that are switched
// off, scores that are sharper or softer, no positions, a decoder that sees later tokens. A changed
// model is a model like any other: it translates, scores, classifies and shows its attention.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

struct AttentionChange {
  std::string modules = "*";  // a pattern of names: "decoder.layers.*.cross_attn"
  int head = -1;              // -1: all of them
  bool off = false;           // adds nothing to the output of its module
  // Factor of the scores, beta times 1/sqrt(d_k) in equation 1 of Vaswani et al. 2017: 0 gives all
  // keys the same weight, 1 changes nothing, and large factors choose the key of the largest score.
  float beta = 1.0f;
};

struct AttentionChanges {
  std::vector<AttentionChange> heads;
  bool positions_off = false;  // nothing tells where a token is
  bool mask_off = false;       // the tokens of a decoder see later ones, too

  bool empty() const { return heads.empty() && !positions_off && !mask_off; }
};

// Changes as options.
struct AttentionChangeOptions {
  std::vector<std::string> heads_off = {}, beta = {};
  bool positions_off = false, mask_off = false;

  bool operator==(const AttentionChangeOptions&) const = default;
};

template <class Visitor>
void fields(AttentionChangeOptions& o, Visitor&& visit) {
  visit("heads-off", o.heads_off,
        "attention heads to switch off: decoder.layers.1.cross_attn:0 is head 0 of this module, "
        "encoder.* is all heads of the encoder");
  visit("attention-beta", o.beta,
        "factor of attention scores, such as 4, or decoder.layers.1.cross_attn:0=4 for one head; "
        "0: equal weights, large values select one position");
  visit("positions-off", o.positions_off,
        "switch off positions: none are added to embeddings, and none turn or bias the scores of "
        "attention");
  visit("mask-off", o.mask_off,
        "let the tokens of a decoder see later ones, too; only where the whole text is given");
}

// Throws ConfigError for text of another form, or a factor that is not from 0 to 1e6.
AttentionChanges attention_changes(const AttentionChangeOptions& options);

// How many heads an attention module of a model has. Throws ConfigError for a recurrent network.
int attention_heads(const SavedModel& model, std::string_view module);
// The names of the attention modules of a model, in its order.
std::vector<std::string> attention_modules(const SavedModel& model);

// The tensors of `file`, the file of `model`, that the changes change, with their new values.
// Several changes of one head multiply. Throws ConfigError for a pattern that fits no module, a
// head that does not exist, and another beta than 1 where positions are part of the scores or
// queries are normalized.
std::vector<NamedTensor> changed_attention(const Checkpoint& file, const SavedModel& model,
                                           std::span<const AttentionChange> changes);

// Turns the file of `model` into that of the same model without positions. Throws ConfigError for a
// recurrent network, which has none, and for disentangled attention, whose scores consist of them.
void remove_positions(Checkpoint& file, const SavedModel& model);

}  // namespace attend
