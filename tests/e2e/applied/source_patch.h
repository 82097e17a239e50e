// A source with the changes collected so far: directives inserted, changed and removed.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "code_text.h"
#include "pragmas/directive.h"

namespace ompdm::e2e {

/// A directive to be inserted.
struct Inserted {
  std::string pragma;
  bool on_condition = false;  ///< that it moves data was said to be needed on a condition
  auto operator<=>(const Inserted&) const = default;
};

class SourcePatch {
 public:
  explicit SourcePatch(std::string text) : code_(std::move(text)) {}

  [[nodiscard]] const CodeText& code() const { return code_; }

  /// Inserts it before or behind a statement, with braces around both where it takes them. A second
  /// time the same changes nothing.
  void insert(Extent statement, bool after, const Inserted& inserted);

  /// The directive as it is by now, to be changed.
  pragmas::Directive& change(const PragmaLine& pragma);
  /// Removes a directive; the statement that belongs to it stays.
  void remove(const PragmaLine& pragma);

  /// The changed source, and the lines in it of what was inserted on a condition.
  struct Result {
    std::string text;
    std::set<int> on_condition;
  };
  [[nodiscard]] Result result() const;

 private:
  /// What stands at one offset, in this order: ends, the inner ones' first, then beginnings.
  enum class Rank : std::uint8_t { kBehind, kClose, kOpen, kBefore };
  using Place = std::tuple<std::size_t, bool, std::size_t, Rank>;
  static Place place_of(Extent statement, Rank rank);

  CodeText code_;
  std::map<Place, std::vector<Inserted>> inserted_;
  std::map<Extent, pragmas::Directive> changed_;
  std::set<Extent> removed_;
};

}  // namespace ompdm::e2e
