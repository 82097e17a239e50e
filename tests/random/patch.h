// Carries out what findings say to change, line by line, on sources that have a directive, a loop's
// head or what the host does on each line, and say in comments where the host uses what (source.h).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "text.h"

namespace ompdm::random_programs {

/// A source with the changes collected so far.
class Patch {
 public:
  explicit Patch(std::vector<std::string> lines);

  /// Takes in all edits of a finding of `ompdm report --format json`. False, and nothing is taken
  /// in, if one of them cannot be made here without a reader's judgement; `why` says which.
  bool apply(const nlohmann::json& finding, std::string& why);

  /// The changed source.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Line {
    std::string text;
    std::vector<std::string> before = {};
    std::vector<std::string> after = {};
  };

  std::string apply_edit(const nlohmann::json& edit);
  std::string insert(const nlohmann::json& edit);
  std::string insert_where_host(const nlohmann::json& edit, std::size_t loop);
  void update_where_host(const nlohmann::json& edit, const std::set<std::size_t>& lines);
  void update_of(const nlohmann::json& edit, const std::set<std::size_t>& lines, std::size_t at,
                 const HostUse& use, const std::string& when);
  [[nodiscard]] bool is_served(const nlohmann::json& edit, std::size_t line, const HostUse& use,
                               const std::string& when, const std::string& device) const;
  std::string take_out(const nlohmann::json& edit);
  std::string replace(const nlohmann::json& edit);

  std::vector<std::string> original_;
  std::vector<Line> lines_;
};

}  // namespace ompdm::random_programs
