// How places in the source are called in text: the file's last name, or as much of its path as
// tells it from others.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// A function without its parameters: "solve" of "solve(int, double*)", as people call it.
std::string without_parameters(const std::string& function);

class SourceNames {
 public:
  /// Knows the files that these figures name.
  explicit SourceNames(std::span<const analysis::Analysis> analyses);

  /// Knows the files that these traces name.
  explicit SourceNames(std::span<const Trace> traces);

  /// "heat.cpp:41"; "src/main.cpp:9" where another main.cpp exists; without a line the file; empty
  /// if unknown.
  [[nodiscard]] std::string place(const std::string& file, int line) const;

  /// Where a directive is: its place, else its function or its address in the binary.
  [[nodiscard]] std::string place(const analysis::DirectiveRow& row) const;

  /// Where a loop of the program's code is: "heat.cpp:54 in solve", "heat.cpp:54 repeated" where
  /// the compiler left none; empty if it was found from the order of events.
  [[nodiscard]] std::string place(const analysis::Iteration& row) const;

  /// "target enter data", "omp_target_memcpy".
  [[nodiscard]] static std::string directive(const analysis::DirectiveRow& row);

  /// "[memcpy HtoD]", "[memset]", "[alloc]", or a kernel's "solve heat.cpp:41".
  [[nodiscard]] std::string activity(const analysis::Activity& row) const;

 private:
  void learn(const std::vector<std::string>& files);

  std::map<std::string, std::string, std::less<>> shown_;
};

}  // namespace ompdm::report
