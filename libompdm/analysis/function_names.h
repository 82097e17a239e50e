// What functions are called in tables and sentences, from the C++ names that linkers know them by.
// Pure text. Inside the analysis library only.
#pragma once

#include <span>
#include <string>

namespace ompdm::analysis {

/// Whether a function is the whole program: C's main, or Fortran's main program, whatever its name.
bool is_main(const std::string& function);

/// Without return type, parameters and scopes that have no name: "V<int>::run" of
/// "void V<int>::run(double*)". Operators and lambdas keep theirs.
std::string without_signature(const std::string& function);

/// Without all scopes and template arguments besides: "run".
std::string plain_name(const std::string& function);

/// The name of the template that a function is an instance of: "V<...>::run"; its own name where it
/// is none.
std::string template_name(const std::string& function);

/// One name for functions that stand at one place in the source: theirs where it is the same, else
/// that of the template which they are instances of, "run<...>". Some may be known by their plain
/// name alone, and be any of the instances.
std::string common_function(std::span<const std::string> functions);

/// A path without its folders.
std::string last_name(const std::string& path);

}  // namespace ompdm::analysis
