// Texts for a list in a sentence or a clause: a loop may have thousands of names. Inside the
// analysis library only.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

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

}  // namespace ompdm::analysis
