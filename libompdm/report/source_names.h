// What places in the source, directives, kernels and loops are called in text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// A function without its parameters: "solve" of "solve(int, double*)", as people call it.
std::string without_parameters(const std::string& function);

/// Calls a file by the last name of its path, or by as much of the path as tells it from others.
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

  /// "heat.cpp:41, heat.cpp:52": of rows of a recording's directives.
  [[nodiscard]] std::string places(const analysis::Analysis& of,
                                   const std::vector<std::size_t>& directives) const;

  /// Where a loop of the program's code is: "heat.cpp:54 in solve", "heat.cpp:54 repeated" where
  /// the compiler left none; empty if it was found from the order of events.
  [[nodiscard]] std::string place(const analysis::LoopRow& row) const;

  /// "target enter data", "omp_target_memcpy".
  [[nodiscard]] static std::string directive(const analysis::DirectiveRow& row);

  /// "[memcpy HtoD]", "[memset]", "[alloc]", or a kernel's "solve heat.cpp:41".
  [[nodiscard]] std::string activity(const analysis::Activity& row) const;

 private:
  void learn(const std::vector<std::string>& files);

  std::map<std::string, std::string, std::less<>> shown_;
};

/// "heat.cpp:56"; without a file the function and line, or the address in the binary. Findings call
/// a file by its last name, also where others have the same.
std::string place_text(const analysis::SourcePlace& place);

/// The same with the file's name as it is told from others.
std::string place_text(const analysis::SourcePlace& place, const SourceNames& names);

/// "heat.cpp:41 and heat.cpp:52": each once; empty if there are none.
std::string places_text(const std::vector<analysis::SourcePlace>& places);

/// "device 0", "devices 0, 1 and 2".
std::string devices_text(const std::vector<std::int32_t>& devices);

/// "the loop at heat.cpp:54 in solve", "the calls repeated at heat.cpp:54 in main"; empty if it is
/// not known where that is.
std::string loop_text(const analysis::facts::LoopPlace& loop);

/// "the loop in main (heat.cpp) that calls sweep and norm, which run heat.cpp:41 and heat.cpp:52"
/// where its function is known; else "the loop that runs heat.cpp:41 (in solve, or in main, which
/// calls solve at heat.cpp:90)".
std::string loop_text(const analysis::UnplacedLoop& loop);

}  // namespace ompdm::report
