// The data of a finding as advice names it: directives to be written for it, so that they are safe
// to copy, and what has to be said besides. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/findings/mappings.h"

namespace ompdm::analysis {

/// What one clause of a directive is for: "to", "alloc", and the data in it.
struct DataClause {
  const char* kind;
  std::vector<std::uint32_t> data;  ///< numbers that NamedData::add gave
};

/// "device 0", "devices 0, 1 and 2".
std::string devices_text(const std::set<std::int32_t>& devices);

class NamedData {
 public:
  /// The number of a mapping's data. A piece of storage has one, by the name that it was first
  /// given here; pieces that one function calls the same have one together.
  std::uint32_t add(const Trace& trace, const Mapping& mapping);

  /// Base names for a sentence; what several functions call the same is told apart: "g",
  /// "o (in blur)", "o (in edge)". In alphabetical order.
  [[nodiscard]] std::vector<std::string> names() const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The numbers of all that was added.
  [[nodiscard]] std::vector<std::uint32_t> all() const;

  /// Devices that the data was on.
  [[nodiscard]] const std::set<std::int32_t>& devices() const { return devices_; }

  /// "#pragma omp target update device(2)": for a sentence that has no clauses to name.
  [[nodiscard]] std::string directive(const char* name) const;

  /// "LEAD, write\n  #pragma omp target NAME map(to: a[0:n])\n", in as many of these as it takes;
  /// in words where the names are not known. `name` is "enter data", "exit data" or "update". A
  /// struct or object goes with its members, for the runtime refuses a struct that is there in
  /// part. `here` is the function to write this in, empty if that is not certain.
  [[nodiscard]] std::string to_write(const std::string& lead, const char* name,
                                     const std::vector<DataClause>& clauses,
                                     const std::string& here) const;

  /// Sentences, each with a line end, on whose names these are, what they stand for and for which
  /// devices the directives are to be written.
  [[nodiscard]] std::string notes() const;

 private:
  using StoragePiece =
      std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;  // host, bytes, which
  struct Row {
    std::string expression;  ///< empty if the compiler passed no names
    std::string function;    ///< of the directive that calls it so
    std::string place;       ///< of that directive
    std::string object;      ///< what it is a member of: "s", "p[0:1]", "this[0:1]"
    std::set<StoragePiece> storage;
  };
  [[nodiscard]] bool needs_function(const Row& row, const std::string& here) const;
  [[nodiscard]] std::string item(const Row& row, const std::string& text,
                                 const std::string& here) const;
  [[nodiscard]] std::string clauses_of(const char* name, const std::vector<DataClause>& clauses,
                                       bool of_this, const std::string& here) const;
  [[nodiscard]] std::string in_words(const std::string& lead, const char* name,
                                     const std::vector<DataClause>& clauses) const;

  std::vector<Row> rows_;
  std::map<StoragePiece, std::uint32_t> row_of_storage_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> row_of_name_;
  std::set<std::string> functions_;  // that call some of it by a name that is not of `this`
  std::set<std::int32_t> devices_;
};

}  // namespace ompdm::analysis
