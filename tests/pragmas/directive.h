// A directive as it stands in a C or C++ source, with its clauses to be read and changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ompdm::pragmas {

/// Whether a line or a pragma is a directive that belongs to no statement, as an update does.
bool stands_alone(std::string_view text);

/// A directive's name and its clauses, each with its map type, items or argument.
class Directive {
 public:
  /// "omp target map(to : a[0 : n])", with or without the "#pragma" and what is before that.
  explicit Directive(std::string_view text);

  /// Takes an item out of its map or motion clause. False: it is in none.
  bool take(std::string_view item);
  /// Adds an item: to map clauses with this type, "to", or to the firstprivate clause.
  void add(const std::string& kind, const std::string& item);
  /// Leaves out what a clause names again.
  void name_once();
  /// Gives the clause "device", or another that is not of data, this between its parentheses.
  void set(std::string_view clause, const std::string& argument);

  /// What a clause that is not of data has between its parentheses; empty: there is none.
  [[nodiscard]] std::string argument(std::string_view clause) const;
  /// Of all clauses of data with that name: "map", "to", "from" or "firstprivate".
  [[nodiscard]] std::vector<std::string> items(std::string_view clause) const;
  /// Whether it only moves data, so that it has no data but what it names.
  [[nodiscard]] bool is_for_data_alone() const;
  /// Whether all that it could do has been taken out.
  [[nodiscard]] bool is_idle() const;
  /// In one line, with its "#pragma".
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
  static void read_inside(std::string_view inside, Clause& clause);
  void parse(std::string_view text);

  std::string name_;  ///< "omp target teams", and clauses without parentheses that come next
  std::vector<Clause> clauses_;
};

}  // namespace ompdm::pragmas
