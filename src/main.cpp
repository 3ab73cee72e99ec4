#include <csignal>

#include "attend/cli/program.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files (ulimit -f) is an error of the write
  return attend::run_program(argc, argv);
}
