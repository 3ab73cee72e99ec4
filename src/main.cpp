#include "attend/cli/program.h"

int main(int argc, char** argv) { return attend::run_program(argc, argv); }
