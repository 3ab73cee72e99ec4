// Work in a process of its own: for libraries that cannot be interrupted.
#pragma once

#include <functional>
#include <string>

namespace attend {

// Runs `work` in a child of this process and returns its bytes. An interruption of the calling
// thread (core/threads/interruption.h) ends the child, and so does the end of this process. `work`
// may throw nothing, and must not wait for other threads of this process: the child has none of
// them. Where the system starts no process, `work` runs here. Throws IoError if the child ends
// without an answer, as for lack of memory.
std::string in_child_process(const std::function<std::string()>& work);

}  // namespace attend
