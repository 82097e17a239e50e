// Lists in which each is named once, for a sentence or a clause: a loop may have thousands of names
// and of directives. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "ompdm/definitions.h"
#include "ompdm/index.h"

namespace ompdm::analysis {

/// In the order in which they came, each once; empty ones are left out.
class UniqueTexts {
 public:
  void add(const std::string& text) {
    if (!text.empty() && known_.insert(text).second) texts_.push_back(text);
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_set<std::string> known_;
};

/// In the order in which they came, each once.
class UniqueSites {
 public:
  void add(Index<Site> site) {
    if (known_.insert(site.value).second) sites_.push_back(site);
  }
  [[nodiscard]] const std::vector<Index<Site>>& all() const { return sites_; }

 private:
  std::vector<Index<Site>> sites_;
  std::unordered_set<std::uint32_t> known_;
};

}  // namespace ompdm::analysis
