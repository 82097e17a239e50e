// What ompdm-edit answers: for each finding either what to write where, or which statement is in
// the way.
#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "request.h"

namespace ompdm::edit {

/// `length` bytes from `offset` on are to be `text`.
struct Replacement {
  std::string file;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  /// It belongs to what stands before it: where something else is put in the same place, it is
  /// first.
  bool behind = false;

  bool operator==(const Replacement&) const = default;
};

/// Why a finding's edits cannot be made: thrown by all that looks at the source.
class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& why, Place at) : std::runtime_error(why), at_(std::move(at)) {}
  [[nodiscard]] const Place& at() const { return at_; }

 private:
  Place at_;
};

/// Data of a finding that cannot be kept where the rest is.
struct LeftOut {
  Item item;
  std::string why;
  Place in_the_way;
};

/// Of one finding.
struct Plan {
  int number = 0;
  bool found = true;    ///< false: nothing of it is in this translation unit
  std::string refused;  ///< a sentence; empty: it can be made
  Place in_the_way;     ///< the statement that the sentence speaks of
  std::vector<Replacement> replacements;
  std::vector<LeftOut> left_out;
  std::vector<Place> settled;         ///< updates of which is known whether they are needed
  std::size_t updates = 0;            ///< that were added for the host: they move what is needed
  std::vector<std::string> returned;  ///< names of what comes back after a loop, and that its
                                      ///< function does not name there any more
};

struct Answer {
  std::vector<std::string> errors;  ///< what the compiler refused; then there are no plans
  std::vector<Plan> plans;
};

/// Parses the translation unit, and looks for a plan of each finding.
Answer answer_to(const Request& request);

void write_answer(const Answer& answer, std::ostream& out);

}  // namespace ompdm::edit
