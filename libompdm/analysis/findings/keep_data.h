// Advice to keep data on a device that was mapped anew again and again: what to write before,
// meanwhile and after, so that it is right whatever the host does in between. Inside the analysis
// library only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/named_data.h"
#include "analysis/findings/presence.h"
#include "analysis/findings/unique.h"

namespace ompdm::analysis {

/// The data, and what happened to it so far. Each number is in `sent` or `made`, and in `returned`
/// or `left`.
struct KeptData {
  NamedData data;
  std::set<std::uint32_t> sent;      ///< numbers in `data` of what went over
  std::set<std::uint32_t> made;      ///< of what was only allocated
  std::set<std::uint32_t> returned;  ///< of what came back
  std::set<std::uint32_t> left;      ///< of what did not
  /// By number: where a clause maps it and does not bring it back, so that nothing remains of what
  /// a kernel may have changed.
  std::map<std::uint32_t, UniqueSites> forgotten;
  UniqueSites sites;      ///< the directives that map it
  UniqueSites deleting;   ///< those of them that delete it
  UniqueTexts idle;       ///< what to do about directives that found nothing there
  bool blocks = false;    ///< one that forgets it is a target data, or an enter data
  bool deferred = false;  ///< one of these is nowait

  /// Takes a piece in, and what its own and other mappings do with it. Returns its number.
  std::uint32_t add(const Trace& trace, const Mapping& mapping, bool is_sent, bool is_returned,
                    const OtherMappings& others);

  /// Takes in the directives of one of the piece's mappings.
  void add_directives(const Trace& trace, const Mappings& mappings, std::uint32_t mapping,
                      std::uint32_t number);

  /// Takes in what found none of the storage there so far.
  void add_idle(const std::vector<std::string>& advice);

  /// What some piece sent or brought back belongs to that clause alone.
  void settle();
};

/// Where advice is to be written.
struct KeepingPlace {
  std::string before;     ///< "before the loop in main (heat.cpp) that runs heat.cpp:41"
  std::string meanwhile;  ///< "in the loop"
  std::string after;      ///< "after the loop"
  std::string function;   ///< that this is in, empty if that is not certain
};

/// Lines to write, with no line end after the last.
std::string advice_to_keep(const Trace& trace, const KeptData& kept, const KeepingPlace& place);

/// Of these the lines, each with its end, on the directives that map the data, and the last one.
std::string advice_on_directives(const Trace& trace, const KeptData& kept);
std::string advice_on_storage();

}  // namespace ompdm::analysis
