// Whether what a directive sends to a device, or brings back, is overwritten there before anything
// reads it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "trail_loops.h"
#include "whole_program.h"

namespace ompdm::edit {

struct AskedItem {
  std::uint32_t number = 0;  ///< position in Asked::items
  std::string expression;    ///< "u[0:n]"
};

/// Whether regions may read data that directives which begin a mapping (`target data`, `target
/// enter data`) have sent, before a region has overwritten all that the item names. "no" is certain
/// in any run: the region comes in each, and no other directive before it. Adds the steps that this
/// rests on.
HostUse read_first(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
                   const std::set<const Stmt*>& directives, const AskedItem& item,
                   std::vector<Span>& rests_on);

/// Data that directives bring back.
struct BackItem {
  std::set<const Stmt*> directives;
  std::set<const Expr*> items;  ///< as their clauses name it
  Places data;
};

/// Of the item `number` of Asked::items, of that text.
BackItem back_item(const Trail& trail, const std::set<const Stmt*>& directives,
                   std::uint32_t number, const std::string& expression);

/// What becomes of data on the host once a directive has brought it back.
enum class BackUse : std::uint8_t {
  kRead,         ///< something may read it
  kLeft,         ///< nothing reads it, and it may be there when the program ends
  kOverwritten,  ///< loops of the host overwrite all of it before anything reads it
};

/// kRead where it is not certain.
BackUse use_of_brought_back(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const BackItem& item);

}  // namespace ompdm::edit
