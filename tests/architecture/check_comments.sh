#!/bin/sh
# Fails, naming file and line, if a comment of a source begins like the rest of a name ("Of ...", "Those ...", "That of ...",
# "By ...") instead of being a sentence with a subject and a verb.
# Usage: check_comments.sh ROOT
set -eu
cd "${1:?usage: check_comments.sh ROOT}"
find include src/attend -name '*.h' -o -name '*.cpp' | sort | xargs awk '
FNR == 1 { within = 0 }
/^[ \t]*\/\// {
  if (!within && $0 ~ /^[ \t]*\/\/ (Of|Those|That of|By) /) {
    printf "%s:%d: a comment is a sentence: %s\n", FILENAME, FNR, $0
    failed = 1
  }
  within = 1
  next
}
{ within = 0 }
END { exit failed }'
