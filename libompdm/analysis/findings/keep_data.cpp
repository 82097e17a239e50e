#include "analysis/findings/keep_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/surplus.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

/// Whether a target task may have done this: of a kernel that is not told, but such tasks do not
/// run on the thread that meets the directive.
bool may_be_deferred(const Trace& trace, const DataOp& op) {
  return (op.region && trace.regions[op.region.value].nowait) ||
         trace.threads[op.thread].tid != trace.process.pid;
}

/// Whether a clause brings this back when it ends.
bool comes_back(const Trace& trace, const Mappings& mappings, std::uint32_t mapping) {
  return std::ranges::any_of(mappings.transfers(mapping), [&](std::uint32_t op) {
    return trace.ops[op].kind == OpKind::kDtoH && comes_of_mapping(trace, trace.ops[op]);
  });
}

std::vector<std::uint32_t> list_of(const std::set<std::uint32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::uint32_t KeptData::add(const Trace& trace, const Mapping& mapping, bool is_sent,
                            bool is_returned, const OtherMappings& others) {
  const std::uint32_t number = data.add(trace, mapping);
  (is_sent || others.sent ? sent : made).insert(number);
  (is_returned || others.returned ? returned : left).insert(number);
  return number;
}

void KeptData::add_directives(const Trace& trace, const Mappings& mappings, std::uint32_t mapping,
                              std::uint32_t number) {
  constexpr std::uint64_t kFrom = 0x2;    // OMP_TGT_MAPTYPE_FROM
  constexpr std::uint64_t kDelete = 0x8;  // OMP_TGT_MAPTYPE_DELETE
  const Mapping& row = mappings.rows()[mapping];
  for (const Index<DataOp> at : {row.alloc, row.remove}) {
    if (!at) continue;
    const DataOp& op = trace.ops[at.value];
    const Index<Site> site = site_of(trace, op);
    if (site) add_once(places, place_of(trace.sites[site.value]));
    forced = forced || (op.map_type & kDelete) != 0;
    deferred = deferred || may_be_deferred(trace, op);
  }
  const DataOp& alloc = trace.ops[row.alloc.value];
  const Index<Site> site = site_of(trace, alloc);
  if (site && (alloc.map_type & kFrom) == 0 && !comes_back(trace, mappings, mapping)) {
    add_once(forgotten[number], place_of(trace.sites[site.value]));
  }
}

void KeptData::settle() {
  std::erase_if(made, [&](std::uint32_t one) { return sent.contains(one); });
  std::erase_if(left, [&](std::uint32_t one) { return returned.contains(one); });
}

std::string advice_to_keep(const KeptData& kept, const KeepingPlace& place) {
  const NamedData& data = kept.data;
  const std::string where = spoken_list(kept.places);
  std::string text = data.notes();
  text +=
      data.to_write(place.before, "enter data",
                    {{"to", list_of(kept.sent)}, {"alloc", list_of(kept.made)}}, place.function);
  text += fmt::format("at {}, {}\n", where,
                      kept.forced ? "drop map(delete:) of these: it would remove them"
                                  : "leave the map clauses as they are: they then find the data "
                                    "present and move nothing");
  const auto each = [&](const char* what, const std::set<std::uint32_t>& numbers, const char* when,
                        bool is_first) {
    const bool one = numbers.size() == 1;
    return fmt::format("{}, wherever the host {}{} {}, {} that{}", place.meanwhile,
                       is_first ? "(or a target region whose if() is false) " : "", what,
                       one ? "this" : "one of these", when, one ? "" : ", for that one alone");
  };
  text += data.to_write(each("reads or changes", kept.returned, "before", true), "update",
                        {{"from", list_of(kept.returned)}}, place.function);
  text += data.to_write(each("has changed", kept.sent, "after", kept.returned.empty()), "update",
                        {{"to", list_of(kept.sent)}}, place.function);
  std::vector<std::string> forgetting;
  std::vector<std::uint32_t> forgotten;
  std::vector<std::uint32_t> and_needed;
  for (const auto& [number, places] : kept.forgotten) {
    // What never goes over has no content that a kernel could spoil.
    if (!kept.sent.contains(number)) continue;
    forgotten.push_back(number);
    if (kept.returned.contains(number)) and_needed.push_back(number);
    for (const std::string& one : places) add_once(forgetting, one);
  }
  const std::string if_changed =
      fmt::format("if the kernel of {} changes what its map(to:) or map(alloc:) names",
                  spoken_list(forgetting));
  const std::string alone = forgotten.size() == 1 ? "" : ", for that one alone";
  text += data.to_write(if_changed + ", before it" + alone, "update", {{"from", and_needed}},
                        place.function);
  text += data.to_write((and_needed.empty() ? if_changed + ", after it" : "and after it") + alone,
                        "update", {{"to", forgotten}}, place.function);
  if (!kept.idle.empty()) {
    text += fmt::format(
        "drop #pragma omp target update at {}: it found nothing there so far, and now would\n",
        spoken_list(kept.idle));
  }
  text += data.to_write(
      place.after + (kept.deferred ? ", and the taskwait for it if it is nowait" : ""), "exit data",
      {{"from", list_of(kept.returned)}, {"release", list_of(kept.left)}}, place.function);
  if (!kept.returned.empty()) {
    text += "write release instead of from for what the host does not read from then on\n";
  }
  return text +
         "if the program makes any of these anew each time, or only later, make it once, before "
         "all this";
}

}  // namespace ompdm::analysis
