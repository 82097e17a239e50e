// Directives to be inserted, as a reader of the source writes them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// The function that an edit's names have to be of; empty where that is not one, or not known.
std::string function_of(const analysis::Edit& edit);

/// "#pragma omp target update device(2)"; of several devices "device(d /* each of 0, 1 */)".
std::string directive_text(const analysis::Edit& edit);

/// The inserted directives of one finding.
class Pragmas {
 public:
  static constexpr std::size_t kWidest = 96;

  /// In lines of at most some `widest` characters.
  explicit Pragmas(const analysis::Finding& finding, std::size_t widest = kWidest);

  /// Of data outside of objects, or of what `this` points to, which is another directive; empty
  /// where nothing of the edit is that. A struct or object goes with its members.
  [[nodiscard]] std::string plain(const analysis::Edit& edit) const;
  [[nodiscard]] std::string of_this(const analysis::Edit& edit) const;

  /// "write #pragma omp target enter data with map(to: ...) for the 786 KB that heat.cpp:9 maps":
  /// of data whose names are not known; empty if there is none.
  [[nodiscard]] std::string in_words(const analysis::Edit& edit) const;

 private:
  [[nodiscard]] std::string item(const analysis::EditData& data, const std::string& text,
                                 const std::string& here) const;
  [[nodiscard]] std::string written(const analysis::Edit& edit, bool of_this) const;

  const analysis::Finding& finding_;
  std::size_t widest_;
  std::set<std::string> functions_;  // that call some of it by a name that is not of `this`
};

/// Whether data is a member of what `this` points to: all functions of its class call it the same.
bool is_of_this(const analysis::EditData& data);

}  // namespace ompdm::report
