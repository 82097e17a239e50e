// The data of a finding as its edits and sentences name it. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/findings/mappings.h"
#include "ompdm/edits.h"

namespace ompdm::analysis {

class NamedData {
 public:
  /// The number of a mapping's data. A piece of storage has one, by the name that it was first
  /// given here; pieces that one function calls the same have one together.
  std::uint32_t add(const Trace& trace, const Mapping& mapping);

  /// Notes what else was mapped of the data meanwhile: where the same expression stood for another
  /// extent it is no name for all of it.
  void note_extent(std::uint32_t number, const Trace& trace, const Mapping& mapping);

  /// Base names for a sentence; what several functions call the same is told apart: "g",
  /// "o (in blur)", "o (in edge)". In alphabetical order.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Those of these numbers.
  [[nodiscard]] std::vector<std::string> names(const std::set<std::uint32_t>& numbers) const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The numbers of all that was added.
  [[nodiscard]] std::vector<std::uint32_t> all() const;

  /// Devices that the data was on.
  [[nodiscard]] const std::set<std::int32_t>& devices() const { return devices_; }

  /// Whether that place can name the data so that it stands for one thing there. A device that is
  /// not the first was chosen by an expression, which no trace knows.
  [[nodiscard]] bool in_scope(const std::vector<std::uint32_t>& data,
                              const SourcePlace& place) const;

  /// Whether the directives that name the data stand behind the place of a loop. The place of a
  /// `do ... while` is its end; and what stands elsewhere may be a function of the same name.
  [[nodiscard]] bool begins_behind(const std::vector<std::uint32_t>& data,
                                   const SourcePlace& loop) const;

  /// Names that a loop at that place makes anew in each of its passes, or that a function which it
  /// calls makes anew in each call: what they point to may be made anew as well.
  [[nodiscard]] std::vector<std::string> made_within(const SourcePlace& loop) const;

  /// Of these, names that the loop itself declares: nothing before it can name them.
  [[nodiscard]] std::vector<std::string> declared_in(const SourcePlace& loop) const;

  /// By number, for Finding::data.
  [[nodiscard]] std::vector<EditData> rows() const;

 private:
  template <class IsWanted>
  [[nodiscard]] std::vector<std::string> local_names(const IsWanted& is_wanted) const;

  using StoragePiece =
      std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;  // host, bytes, which
  struct Row {
    EditData data;
    std::set<StoragePiece> storage;
    std::set<std::size_t> variables;  // positions in Trace::variables
  };

  std::vector<Row> rows_;
  std::map<StoragePiece, std::uint32_t> row_of_storage_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> row_of_name_;
  std::set<std::int32_t> devices_;
};

}  // namespace ompdm::analysis
