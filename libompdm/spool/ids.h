// The numbers by which records name each other. Each kind is a type of its own, so that none is
// taken for another; zero names nothing.
#pragma once

#include <cstdint>

namespace ompdm::spool {

enum class LaneId : std::uint32_t {};                 ///< of the recording, from 0
enum class ModuleId : std::uint32_t { kNone };        ///< of the process, never given twice
enum class SiteId : std::uint32_t { kNone };          ///< in its lane
enum class MapperNameId : std::uint32_t { kNone };    ///< in its lane
enum class PathId : std::uint32_t { kNone };          ///< in its lane
enum class DeferralId : std::uint32_t { kNone };      ///< in its lane
enum class CallId : std::uint32_t { kNone };          ///< of an API call, in its lane
enum class ActivityNameId : std::uint32_t { kNone };  ///< in its lane

/// An id as a plain number, to count on from or to make an index of.
template <class Id>
constexpr std::uint32_t number(Id id) noexcept {
  return static_cast<std::uint32_t>(id);
}

/// The id after the last one given, which it becomes.
template <class Id>
constexpr Id give_next(Id& last) noexcept {
  return last = static_cast<Id>(number(last) + 1);
}

}  // namespace ompdm::spool
