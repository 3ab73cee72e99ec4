// Models of the Hugging Face Hub that were downloaded before, by huggingface_hub or transformers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

// A model of the Hub.
struct HubModel {
  std::string name;               // "org/name", or "name" of old models
  std::string revision = "main";  // a branch, a tag or a commit
};

// The model that "org/name", "name" or either of them with "@revision" says; nullopt: none has such
// a name.
std::optional<HubModel> parse_hub_model(std::string_view text);

// The folder with the cache: $HF_HUB_CACHE, or hub in $HF_HOME, or huggingface/hub among the user's
// caches.
std::filesystem::path hub_cache_folder();

// The command that downloads a model.
std::string download_command(const HubModel& model);

// The directory of a model in the cache; empty: the cache has nothing of that revision. Throws
// DataError if it has only some of its files, as after a download that was interrupted.
std::filesystem::path find_in_hub_cache(const HubModel& model);

// The same for a model of which only the file `name` is needed: its directory in the cache if that
// file is there, else empty.
std::filesystem::path find_file_in_hub_cache(const HubModel& model, std::string_view name);

// The model of the Hub that the path names, if nothing is there and the cache does not have its
// weights; nullopt: something else.
std::optional<HubModel> missing_hub_model(const std::filesystem::path& path);

// The path itself if something is there. Otherwise, the directory in the cache of the model of the
// Hub that it names. A path that is neither stays as it is, but one that can be "org/name" is an
// IoError that says how to download that model.
std::filesystem::path local_path(const std::filesystem::path& path);

}  // namespace attend
