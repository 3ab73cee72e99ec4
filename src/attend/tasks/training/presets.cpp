#include "attend/tasks/training/presets.h"

#include <algorithm>
#include <string>
#include <vector>

namespace attend {

namespace {

// An option of some tasks, with its values in the order of Preset.
struct Row {
  std::string_view option;
  std::array<std::string_view, 4> values;
};

using PresetRows = std::span<const Row>;

constexpr std::array kPresetWidths{
    Row{"d-model", {"128", "256", "512", "1024"}},
    Row{"n-heads", {"4", "4", "8", "16"}},
};

// Translators and language models. The steps of tiny take minutes on two cores, those of small
// about an hour.
constexpr std::array kPresetDecoders{
    Row{"d-ff", {"512", "1024", "2048", "4096"}},
    Row{"vocab-size", {"4000", "8000", "8000", "32000"}},
    Row{"batch-tokens", {"2048", "4096", "4096", "8192"}},
    Row{"max-steps", {"3000", "8000", "100000", "300000"}},
    Row{"schedule", {"cosine", "cosine", "inverse_sqrt", "inverse_sqrt"}},
    Row{"learning-rate", {"0.003", "0.0015", "0.0007", "0.0005"}},
    Row{"warmup-steps", {"300", "800", "4000", "4000"}},
};

constexpr std::array kTranslation{
    Row{"n-encoder-layers", {"2", "3", "6", "6"}},
    Row{"n-decoder-layers", {"2", "3", "6", "6"}},
    Row{"dropout", {"0.1", "0.1", "0.1", "0.3"}},
};

constexpr std::array kLanguage{
    Row{"n-layers", {"3", "6", "6", "12"}},
    Row{"dropout", {"0.1", "0.1", "0.1", "0.1"}},
};

// Classifiers, taggers and embedders read the text for --max-epochs.
constexpr std::array kEncoders{
    Row{"d-ff", {"256", "1024", "2048", "4096"}},
    Row{"n-encoder-layers", {"2", "4", "6", "6"}},
};

std::vector<PresetRows> preset_rows_of(std::string_view task) {
  if (task == "translation") return {kPresetWidths, kPresetDecoders, kTranslation};
  if (task == "lm") return {kPresetWidths, kPresetDecoders, kLanguage};
  return {kPresetWidths, kEncoders};
}

// Sets a row's option, which one of the groups may have.
void set_row(const Row& row, Preset preset, std::span<const OptionGroup> groups) {
  const std::array value{std::string(row.values[static_cast<std::size_t>(preset)])};
  for (const OptionGroup& group : groups)
    if (const OptionField* field = find_option(group.fields, row.option))
      set_option(*field, value, row.option);
}

}  // namespace

void apply_preset(Preset preset, std::string_view task, std::span<const OptionGroup> groups,
                  const IsSet& is_set) {
  for (const PresetRows rows : preset_rows_of(task))
    for (const Row& row : rows)
      if (!is_set(std::string(row.option))) set_row(row, preset, groups);
}

}  // namespace attend
