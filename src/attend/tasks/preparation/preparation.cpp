#include "attend/tasks/preparation/preparation.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/tasks/preparation/prepared_text.h"

namespace attend {

void require_preparable(const PreparedFolderOptions& options, std::span<const std::string> files) {
  check_options(options);
  if (options.out.empty())
    throw OptionError<ConfigError>("{}: expected a folder to write, got none", as_flag("out"));
  for (const std::string& file : files)
    if (file == "-")
      throw ConfigError(
          "standard input: expected files, since the text is read twice; write it to one first");
  require_readable(files);
  const AtomicFolder can_be_made(options.out);
}

PreparedFolder::PreparedFolder(const PreparedFolderOptions& options,
                               const Vocabularies& vocabularies, PreparedManifest manifest)
    : folder_(options.out),
      vocabularies_(vocabularies),
      manifest_(std::move(manifest)),
      shards_(folder_.temporary(), manifest_.format, options.shard_samples) {}

PreparedManifest PreparedFolder::commit() {
  manifest_.shards = shards_.finish();
  save_vocabularies(vocabularies_, folder_.temporary(), manifest_);
  write_file_atomically(manifest_file(folder_.temporary()), manifest_json(manifest_));
  folder_.commit();
  return manifest_;
}

}  // namespace attend
