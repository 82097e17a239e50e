// The edits of several findings, each tried by itself, and what holds together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fix/case.h"
#include "fix/edit_tool.h"
#include "fix/trial.h"

namespace ompdm::cli {

class Attempts {
 public:
  struct Asked {
    bool release = false;        ///< what need not come back is left on the device
    bool of_other_runs = false;  ///< than the one that the promises are of
  };

  /// What comes of them is written into the cases' verdicts.
  Attempts(std::vector<Case>& cases, const EditTool& tool, Asked asked)
      : cases_(cases), tool_(tool), asked_(asked) {}

  /// Throws Error, as Trials does.
  void make(Trials& trials);

  /// Of all that held by itself; null: nothing did.
  [[nodiscard]] const Measured* together() const { return together_ ? &*together_ : nullptr; }
  [[nodiscard]] const std::vector<EditPlan>& accepted() const { return accepted_; }
  /// Names of what is not brought back any more.
  [[nodiscard]] const std::vector<std::string>& released() const { return released_; }

 private:
  [[nodiscard]] std::size_t changes() const;  // that are to be tried
  [[nodiscard]] std::size_t runs_to_come(const Trials& trials) const;
  void try_each(Trials& trials);
  Measured try_together(Trials& trials);
  void release(Trials& trials);

  std::vector<Case>& cases_;
  const EditTool& tool_;
  Asked asked_;
  std::vector<EditPlan> accepted_;
  std::optional<Measured> together_;
  std::vector<std::string> released_;
};

}  // namespace ompdm::cli
