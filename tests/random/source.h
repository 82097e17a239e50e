// Random programs as C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"

namespace ompdm::random_programs {

/// What arrays are in the source.
enum class Names : std::uint8_t {
  kLocal,    ///< pointers of the function that uses them, and its parameters
  kMembers,  ///< members of a struct that functions are handed
  kClass,    ///< members of a class whose functions use them
};

struct Spelling {
  Names names = Names::kLocal;
  bool has_two_files = false;  ///< functions that are called are in a file of their own
};

struct Source {
  std::vector<std::string> main;   ///< lines
  std::vector<std::string> other;  ///< of the second file, which includes nothing; empty: none
};

/// A source that runs the program with the input that its argument tells, and prints what came of
/// it. Of programs that swap pointers in a function, or have threads, no class is made.
Source source_of(const Program& program, Spelling spelling = {});

}  // namespace ompdm::random_programs
