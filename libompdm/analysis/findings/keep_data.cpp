#include "analysis/findings/keep_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/surplus.h"
#include "analysis/findings/wording.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

bool is_deferred(const Trace& trace, const DataOp& op) {
  return op.region && trace.regions.common(op.region.value).nowait;
}

/// Whether a clause brings this back when it ends.
bool comes_back(const Trace& trace, const Mappings& mappings, std::uint32_t mapping) {
  return std::ranges::any_of(mappings.transfers(mapping), [&](std::uint32_t op) {
    return trace.ops.common(op).kind == OpKind::kDtoH && comes_of_mapping(trace, trace.ops[op]);
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
  const Mapping& row = mappings.rows()[mapping];
  for (const Index<DataOp> at : {row.alloc, row.remove}) {
    if (!at) continue;
    const DataOp& op = trace.ops[at.value];
    const Index<Site> site = op.site;
    const bool deletes = (op.map_type & kMapDelete) != 0;
    if (site) (deletes ? deleting : sites).add(site);
    deferred = deferred || is_deferred(trace, op);
  }
  const DataOp& alloc = trace.ops[row.alloc.value];
  const Index<Site> site = alloc.site;
  if (site && (alloc.map_type & kMapFrom) == 0 && !comes_back(trace, mappings, mapping)) {
    forgotten[number].add(site);
    blocks = blocks || trace.sites[site.value].directive != Directive::kTarget;
  }
}

void KeptData::add_idle(const std::vector<std::string>& advice) {
  for (const std::string& one : advice) idle.add(one);
}

void KeptData::settle() {
  std::erase_if(made, [&](std::uint32_t one) { return sent.contains(one); });
  std::erase_if(left, [&](std::uint32_t one) { return returned.contains(one); });
}

std::string advice_on_directives(const Trace& trace, const KeptData& kept) {
  std::string text;
  if (!kept.sites.all().empty()) {
    text += fmt::format(
        "at {}, leave the map clauses as they are: they then find the data present and move "
        "nothing\n",
        places_of(trace, kept.sites.all()));
  }
  if (!kept.deleting.all().empty()) {
    text += fmt::format("at {}, write map(release:) instead of map(delete:) for these\n",
                        places_of(trace, kept.deleting.all()));
  }
  for (const std::string& one : kept.idle.all()) text += one + '\n';
  return text;
}

std::string advice_on_storage() {
  return "if the program makes any of these anew each time, or only later, make it once, before "
         "all this";
}

std::string advice_to_keep(const Trace& trace, const KeptData& kept, const KeepingPlace& place) {
  const NamedData& data = kept.data;
  std::string text = data.notes();
  text +=
      data.to_write(place.before, "enter data",
                    {{"to", list_of(kept.sent)}, {"alloc", list_of(kept.made)}}, place.function);
  text += advice_on_directives(trace, kept);
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
  UniqueSites forgetting;
  std::vector<std::uint32_t> forgotten;
  std::vector<std::uint32_t> and_needed;
  for (const auto& [number, sites] : kept.forgotten) {
    // What never goes over has no content that a kernel could spoil.
    if (!kept.sent.contains(number)) continue;
    forgotten.push_back(number);
    if (kept.returned.contains(number)) and_needed.push_back(number);
    for (const Index<Site> site : sites.all()) forgetting.add(site);
  }
  const std::string if_changed = fmt::format(
      "if a kernel of {} changes what the map(to:) or map(alloc:) there names (or "
      "omp_target_memcpy does)",
      places_of(trace, forgetting.all()));
  const std::string alone = forgotten.size() == 1 ? "" : ", for that one alone";
  const std::string after =
      kept.blocks ? "after that directive, or that target data's end" : "after that directive";
  text += data.to_write(if_changed + ", before that directive" + alone, "update",
                        {{"from", and_needed}}, place.function);
  text += data.to_write((and_needed.empty() ? if_changed + ", " : "and ") + after + alone, "update",
                        {{"to", forgotten}}, place.function);
  text += data.to_write(
      place.after + (kept.deferred ? ", and after the taskwait for what is nowait there" : ""),
      "exit data", {{"from", list_of(kept.returned)}, {"release", list_of(kept.left)}},
      place.function);
  if (!kept.returned.empty()) {
    text += "write release instead of from for what the host does not read from then on\n";
  }
  return text + advice_on_storage();
}

}  // namespace ompdm::analysis
