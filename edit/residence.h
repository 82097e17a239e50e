// Data kept on the device around code: all that uses it meanwhile, looked at, and what has to be
// updated or is idle then. OpenMP 5.2, sections 5.8.3 and 13.9.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kept_data.h"
#include "program.h"

namespace ompdm::edit {

/// A `target update` of one of the data, on one side of a statement that stands in a block.
struct Update {
  const Stmt* statement = nullptr;
  const VarDecl* data = nullptr;
  bool from = false;              ///< before the statement; else `to`, behind it
  std::string item = {};          ///< of the data; empty: all that stays on the device
  std::string condition = {};     ///< of an if() clause; empty: none
  bool is_of_region = false;      ///< that the host runs where the condition holds
  bool is_of_element = false;     ///< of single elements: the host uses no others
  const Program* unit = nullptr;  ///< that the statement is in; null: that of the code
  bool waits = false;             ///< with a taskwait before it
};

/// Once nothing was found that would make it wrong.
struct Residence {
  KeptData data;
  int device = 0;
  bool is_later = false;          ///< a region in the code may still run when that has ended
  std::set<std::string> written;  ///< by a kernel
  std::set<std::string> sent;     ///< a clause asks for what the host has
  /// Of the if() clauses of all directives that use the data, which does not change; empty: none.
  std::string condition;
  std::vector<Update> updates;
  std::set<const Directive*> idle;  ///< that are not needed any more
};

/// Updates where the host uses the data would move it as often as what goes.
class Vain : public Refusal {
 public:
  using Refusal::Refusal;
};

/// Of a finding's items, around a loop or the statements of a block. Throws Refusal.
Residence residence_of(const Program& program, const Stmt& code, const Stay& stay,
                       const std::vector<Item>& items);

}  // namespace ompdm::edit
