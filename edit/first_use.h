// Whether data that a directive sends, or copies back, is overwritten there before anything reads
// it.
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

/// Whether regions may read data that directives have sent, before a region has overwritten all
/// that the item names. The directives begin a mapping (`target data`, `target enter data`). "no"
/// holds in every run: the region is always executed, and no other directive before it. Adds the
/// spans of steps that the answer rests on.
HostUse read_first(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
                   const std::set<const Stmt*>& directives, const AskedItem& item,
                   std::vector<Span>& rests_on);

/// Data that directives copy back.
struct BackItem {
  std::set<const Stmt*> directives;
  std::set<const Expr*> items;  ///< as the directives' clauses name it
  Places data;
};

/// The data of item `number` of Asked::items, whose text is `expression`.
BackItem back_item(const Trail& trail, const std::set<const Stmt*>& directives,
                   std::uint32_t number, const std::string& expression);

/// How the host's copy of data is used after a directive has copied the data back.
enum class BackUse : std::uint8_t {
  kRead,         ///< something may read it
  kLeft,         ///< nothing reads it, and it may exist until the program ends
  kOverwritten,  ///< loops of the host overwrite all of it before anything reads it
};

/// Returns kRead where nothing is certain.
BackUse use_of_brought_back(const WholeProgram& program, const Trail& trail,
                            const TrailLoops& loops, const BackItem& item);

}  // namespace ompdm::edit
