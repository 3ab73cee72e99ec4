// What the routes that look into a model have in common: which model they ask, and the changes of
// its attention that a request may make.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "attend/server/models/served_model.h"
#include "attend/server/route.h"
#include "attend/tasks/explanation/attention_change.h"

namespace attend {

inline constexpr RouteField kHeadsOffField{
    "heads_off", FieldType::texts,
    "attention heads to switch off, as --heads-off has them: decoder.layers.1.cross_attn:0, "
    "encoder.*"};
inline constexpr RouteField kBetaField{
    "attention_beta", FieldType::texts,
    "factors of attention scores, as --attention-beta has them: 4, encoder.layers.0.self_attn:1=0"};
inline constexpr RouteField kPositionsOffField{
    "positions_off", FieldType::flag, "switch off positions, as --positions-off does (false)"};
inline constexpr RouteField kMaskOffField{
    "mask_off", FieldType::flag,
    "let the tokens of a decoder see later ones, as --mask-off does (false)"};
inline constexpr RouteField kSourceField{"source", FieldType::text,
                                         "language of the text, for a multilingual model"};
inline constexpr RouteField kTargetField{"target", FieldType::text,
                                         "language to translate into, for a multilingual model"};
inline constexpr RouteField kExploredModelField{
    "model", FieldType::text, "name of a model, from /models; default: the first that fits"};

// "heads_off", "attention_beta", "positions_off" and "mask_off".
AttentionChangeOptions attention_changes_of(const Parameters& parameters);

// "model": the one of that name, or the first that can be explored. Throws HttpError 404 if there
// is none.
ServedModelPointer explored_model(const Call& call);

// "source" and "target", by default the first ones of the model; none for a model of one pair.
LanguagePair explored_languages(const Parameters& parameters, const ServedModel& model);

// Answers the call with what `answer` says of the model with the changes of the request, on the
// thread of the explorers.
void answer_changed(const std::shared_ptr<Call>& call, const ServedModelPointer& served,
                    std::function<nlohmann::ordered_json(const SavedModel& model)> answer);

}  // namespace attend
