// A report as a few lines of text, in a notation short enough to stand at the head of the program
// it is about:
//
//   //= total: HtoD 2 16000, DtoH 1 8000, alloc 2 16000, delete 2 16000, kernel 1
//   //= target@work x1: HtoD 2 16000, DtoH 1 8000, alloc 2, kernel 1
//   //= a = alias: HtoD 1 8000
//
// A count and, where there are any, bytes; zeros are left out. Each directive has a line, at the
// comment `@work` of its own line of source or the one before. So have each variable and each loss.
// What runtimes do differently is written for each of them, with the first version that does so. A
// line without a version is true of all:
//
//   //=19 a: HtoD 1 4000
//   //=22 a: HtoD 500 4000
#pragma once

#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e {

/// The report's ledger, sorted. `sources` is where the lines' comments are looked up.
std::string ledger_of(const Json& report, const std::filesystem::path& sources);

/// The same of lines written out.
std::string ledger(std::vector<std::string> lines);

/// The ledger at the head of a program, sorted: what is true of the offload_build()'s runtime.
std::string ledger_in(const std::filesystem::path& source);

}  // namespace ompdm::e2e
