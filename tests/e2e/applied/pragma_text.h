// A directive as it stands in a source, with its clauses to be changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ompdm::e2e {

/// Without blanks, and without the "this->" that a member may be named without: what two names of
/// one item have in common.
std::string plain_item(std::string_view item);

class PragmaText {
 public:
  /// "omp target map(to : a[0 : n])".
  explicit PragmaText(std::string_view text);

  /// Takes an item out of its map or motion clause. False: it is in none.
  bool take(std::string_view item);
  /// Adds an item: to map clauses with this type, "to", or to the firstprivate clause.
  void add(const std::string& kind, const std::string& item);

  /// Leaves out what a clause names again.
  void name_once();

  /// Whether it only moves data, so that it has no data but what it names.
  [[nodiscard]] bool is_for_data_alone() const;
  /// Whether all that it could do has been taken out.
  [[nodiscard]] bool is_idle() const;
  /// With its "#pragma".
  [[nodiscard]] std::string line() const;

 private:
  struct Clause {
    std::string name = {};                ///< "map"
    std::string before = {};              ///< "always, to: "
    std::vector<std::string> items = {};  ///< of a clause of data
    std::string rest = {};                ///< of another one, between its parentheses
    bool has_parentheses = false;
  };
  static bool is_of_data(const Clause& clause);
  void parse(std::string_view text);

  std::string name_;  ///< "omp target teams", and clauses without parentheses
  std::vector<Clause> clauses_;
  std::vector<std::string> bare_;  ///< "nowait"
};

}  // namespace ompdm::e2e
