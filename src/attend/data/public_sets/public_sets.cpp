#include "attend/data/public_sets/public_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/error.h"

namespace attend {

std::span<const PublicSet* const> public_sets() {
  static constexpr std::array<const PublicSet*, 8> kSets{
      &kMulti30k, &kTatoeba, &kWmt, &kOpus, &kImdb, &kSst2, &kWikiText2, &kTinyShakespeare};
  return kSets;
}

const PublicSet& public_set(const std::string& name) {
  std::vector<std::string> names;
  for (const PublicSet* const set : public_sets()) {
    if (set->name == name) return *set;
    names.emplace_back(set->name);
  }
  throw ConfigError(fmt::format("expected one of the sets {}; got {}{}", fmt::join(names, ", "),
                                quote(name), did_you_mean(name, names)));
}

PreparedSet prepare_public_set(const PublicSet& set, std::span<const std::string> from,
                               const std::filesystem::path& out, const PublicSetOptions& options) {
  PreparedSet prepared;
  const std::vector<std::string> downloads = files_of_set(from, set);
  SetFolder folder(out);
  prepared.downloads = checked_downloads(downloads, set, options.any_version);
  set.prepare(downloads, options, folder);
  prepared.files = folder.finish(set.published, options.any_version);
  prepared.notes = folder.notes();
  folder.commit();
  return prepared;
}

}  // namespace attend
