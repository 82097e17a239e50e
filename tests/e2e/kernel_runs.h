// Runs of the bundled kernels, and what every build of heat must show.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.h"

namespace ompdm::e2e {

/// How the directive of a kernel's region begins.
inline constexpr std::string_view kTarget = "omp target teams distribute parallel for";

/// A function of a bundled kernel, for the lines of its directives.
class Source {
 public:
  Source(const std::string& kernel, const std::string& function);

  /// The first line from there on whose #pragma begins with these words; 0 if there is none.
  [[nodiscard]] int line(std::string_view directive) const;

  /// That line in a ledger's notation: "@heat.cpp:41".
  [[nodiscard]] std::string place(std::string_view directive) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
  std::size_t begin_ = 0;
};

/// Records a version, and checks the report against itself, the source and the runtime.
Recorded run_kernel(const std::string& path, const std::string& rung,
                    const std::vector<std::string>& sizes,
                    const std::map<std::string, std::string>& environment = {});

/// The number that the program printed after this text.
std::uint64_t number_printed(const Recorded& recorded, const std::string& text);

struct Loop {
  std::uint64_t passes;
  std::uint64_t htod_bytes;  ///< an iteration
  std::uint64_t dtoh_bytes;
  std::vector<int> lines;  ///< of the directives of an iteration
};

/// Fails the test unless the report knows exactly this loop.
void expect_loop(const Json& report, const Loop& loop);

/// heat 40 10 in a build of its own, with and without data that stays.
Recorded expect_heat_naive(const std::string& path,
                           const std::map<std::string, std::string>& environment);
void expect_heat_data(const std::string& path, const std::string& rung);

}  // namespace ompdm::e2e
