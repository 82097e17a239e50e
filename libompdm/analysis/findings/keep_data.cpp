#include "analysis/findings/keep_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

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
  text += data.to_write(
      fmt::format("{}, wherever the host reads or changes these, before that", place.meanwhile),
      "update", {{"from", list_of(kept.returned)}}, place.function);
  text += data.to_write(
      fmt::format("{}, wherever the host has changed these, after that", place.meanwhile), "update",
      {{"to", list_of(kept.sent)}}, place.function);
  std::vector<std::uint32_t> only_sent;
  std::ranges::set_difference(kept.sent, kept.returned, std::back_inserter(only_sent));
  text += data.to_write(
      fmt::format("if a kernel changes what map(to:) sent, each time before {}", where), "update",
      {{"to", only_sent}}, place.function);
  text += data.to_write(place.after, "exit data",
                        {{"from", list_of(kept.returned)}, {"release", list_of(kept.left)}},
                        place.function);
  if (!kept.returned.empty()) {
    text += "write release instead of from for what the host does not read from then on\n";
  }
  return text + "what is made anew each time must be made once, before all this";
}

}  // namespace ompdm::analysis
