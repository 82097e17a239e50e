// Data that is kept on the device around code: all uses of the data meanwhile, the updates that are
// needed, and those that become redundant. OpenMP 5.2, sections 5.8.3 and 13.9.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kept_data.h"
#include "program.h"

namespace ompdm::edit {

/// A `target update` of one of the data, before or behind a statement of a block.
struct Update {
  const Stmt* statement = nullptr;
  const VarDecl* data = nullptr;
  bool from = false;              ///< `from`, before the statement; else `to`, behind it
  std::string item = {};          ///< a list item of the data; empty: all that is kept on the
                                  ///< device
  std::string condition = {};     ///< of an if() clause; empty: none
  bool is_of_region = false;      ///< for a region that the host runs where the condition holds
  bool is_of_element = false;     ///< of single elements, where the host uses no others
  const Program* unit = nullptr;  ///< that the statement is in; null: the code's unit
  bool waits = false;             ///< with a taskwait before it
};

/// Data that can be kept on the device: nothing was found that would make that wrong.
struct Residence {
  KeptData data;
  int device = 0;
  bool is_later = false;          ///< a region of the code may still run when the code has ended
  std::set<std::string> written;  ///< by a kernel
  std::set<std::string> sent;     ///< a clause sends the host's values
  /// The condition of the if() clauses of all directives that use the data. It does not change in
  /// the code. Empty: none.
  std::string condition;
  std::vector<Update> updates;
  std::set<const Directive*> idle;  ///< updates that are not needed any more
};

/// A refusal: updates where the host uses the data would transfer it as often as the redundant
/// transfers do.
class Vain : public Refusal {
 public:
  using Refusal::Refusal;
};

/// The residency of a finding's items, around a loop or around statements of a block. Throws
/// Refusal.
Residence residence_of(const Program& program, const Stmt& code, const Stay& stay,
                       const std::vector<Item>& items);

}  // namespace ompdm::edit
