// Words of findings about data clauses that did not do what they say.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/patterns/patterns.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::SourcePlace;
using Facts = analysis::facts::ClauseEffect;

/// "u" of "u[0:n]".
std::string base(const std::string& item) { return item.substr(0, item.find('[')); }

/// "map(to: u[0:n]) at heat.cpp:41"; "update to(u[0:n]) at …"; "u at …" where no clause names it.
std::string clause_text(const std::string& clause, const std::string& item, Directive directive,
                        const SourcePlace& place) {
  if (clause.empty()) return fmt::format("{} at {}", base(item), place_text(place));
  return directive == Directive::kTargetUpdate
             ? fmt::format("update {}({}) at {}", clause, item, place_text(place))
             : fmt::format("map({}: {}) at {}", clause, item, place_text(place));
}

std::string own_clause(const Facts& facts) {
  return clause_text(facts.clause, facts.item, facts.directive, facts.place);
}

/// "the target data at heat.cpp:39", whose mapping the item met.
std::string holder_text(const Facts& facts) {
  if (!facts.holder) return "another directive";
  return fmt::format("the {} at {}", analysis::directive_name(facts.held_by),
                     place_text(*facts.holder));
}

std::string shown_at(const Facts& facts) {
  return place_text(SourcePlace{facts.shown.file, facts.shown.line, {}, 0});
}

std::string kernels_text(const Facts& facts) {
  return fmt::format("the {} at {}", facts.kernels.size() == 1 ? "kernel" : "kernels",
                     places_text(facts.kernels));
}

/// What the kernels do with the data.
const char* write_text(const Facts& facts) { return facts.is_watched ? "wrote" : "may write"; }

/// ". The host reads p at heat.cpp:88, and finds its old value"; of a hazard "and may find".
std::string read_text(const Facts& facts, const char* finds) {
  if (facts.shown.line > 0) {
    return fmt::format(". The host reads {} at {}, and {} {}", base(facts.item), shown_at(facts),
                       facts.stake == Facts::Stake::kHazard ? "may find" : "finds", finds);
  }
  return facts.nothing_came_back ? ". No data was copied back in this run" : "";
}

Words not_sent(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string since =
      facts.copied
          ? fmt::format("since the copy at {}", place_text(*facts.copied))
          : std::string(facts.is_static ? "since the program began" : "since it was copied last");
  const std::string kernel =
      fmt::format("The kernel at {} {}", places_text(facts.kernels),
                  facts.shown.line > 0 ? fmt::format("reads the old value at {}", shown_at(facts))
                                       : std::string("gets the old value"));
  if (facts.clause.empty()) {
    return {fmt::format("no clause of the kernel at {} sends {}, which {} mapped. The host had "
                        "changed {} {}. {}",
                        place_text(facts.place), name, holder_text(facts), name, since, kernel),
            fmt::format("update {} on the device: the host changed it, and no directive sends it",
                        name)};
  }
  const std::string why =
      facts.is_static
          ? fmt::format("{} is a declare target variable: it is always on the device", name)
          : fmt::format("{} had put {} on the device", holder_text(facts), name);
  return {fmt::format("{} sent nothing, since {}. The host had changed {} {}. {}",
                      own_clause(facts), why, name, since, kernel),
          fmt::format("update {} on the device: the host changed it, and this clause sent nothing",
                      name)};
}

Words never_sent(const Facts& facts) {
  const std::string name = base(facts.item);
  const bool is_own = facts.holder && *facts.holder == facts.place;
  const std::string reads =
      facts.shown.line > 0
          ? fmt::format("the kernel at {} reads {} at {}", place_text(facts.place), name,
                        shown_at(facts))
          : fmt::format("{} sent nothing, since {} was on the device", own_clause(facts), name);
  std::string evidence =
      is_own ? fmt::format("{}, and map({}: {}) only allocates it: its value was never set", reads,
                           facts.clause, facts.item)
             : fmt::format("{}, and nothing had set it there: {} only allocated it", reads,
                           holder_text(facts));
  return {std::move(evidence),
          fmt::format("send {}: a kernel reads it, and nothing had set it", name)};
}

Words results_lost(const Facts& facts) {
  const std::string name = base(facts.item);
  if (facts.is_left) {
    return {fmt::format("{} {} {}, which {} mapped, and no directive copies it back{}",
                        kernels_text(facts), write_text(facts), name, holder_text(facts),
                        read_text(facts, "the value from before the kernel")),
            fmt::format("copy {} back: no directive does", name)};
  }
  const bool is_end = facts.directive == Directive::kTargetExitData;
  return {
      fmt::format("{} {} {}, and the mapping ended at {} without a copy back{}",
                  kernels_text(facts), write_text(facts), name, place_text(facts.place),
                  read_text(facts, "the value from before the kernel")),
      fmt::format("copy {} back{}: the kernel's results are lost", name, is_end ? " here" : "")};
}

Words not_copied_back(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string why = facts.held_bytes < facts.bytes && facts.holder
                              ? fmt::format("the device had a part of it ({}), which {} mapped",
                                            facts.held_as, holder_text(facts))
                              : holder_text(facts) + " still held it";
  return {fmt::format("{} {} {}, and {} copied nothing back: {}{}", kernels_text(facts),
                      write_text(facts), name, own_clause(facts), why,
                      read_text(facts, "the value from before the kernel")),
          fmt::format("copy {} back by an update: this clause copied nothing", name)};
}

Words results_overwritten(const Facts& facts) {
  const std::string name = base(facts.item);
  return {fmt::format("{} replaced the data that {} {} written with the host's value, and nothing "
                      "copied it back{}",
                      own_clause(facts), kernels_text(facts), facts.is_watched ? "had" : "may have",
                      read_text(facts, "no value of a kernel")),
          fmt::format("update from({}) instead of to: results are overwritten", name)};
}

Words unset_copied_back(const Facts& facts) {
  const std::string name = base(facts.item);
  return {
      fmt::format(
          "{} was copied back at {}, and nothing had set it on the device. The host's value "
          "was overwritten with unset memory",
          name, place_text(facts.place)),
      fmt::format("do not copy {} back: nothing had set it on the device", name),
      {fmt::format("let the kernel that sets {} name it in a map clause, or do not copy it back",
                   name)}};
}

Words private_copy(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string own =
      fmt::format("no map clause of the kernel at {} names {}, which has its own copy there",
                  place_text(facts.place), name);
  const std::string held = holder_text(facts);
  std::string evidence;
  if (facts.reads) {
    evidence = fmt::format(
        "{}. The kernel reads the host's value at {}, and {} has a newer value on "
        "the device",
        own, shown_at(facts), held);
  } else if (facts.shown.line > 0) {
    evidence = fmt::format(
        "{}. The value that the kernel writes at {} is lost, and the data that {} maps does not "
        "change",
        own, shown_at(facts), held);
  } else {
    evidence =
        fmt::format("{}. The data that {} maps was never set, and was copied back", own, held);
  }
  return {std::move(evidence),
          fmt::format("name {} on the kernel: it has its own copy", name),
          {fmt::format("at {}, write for {}: map({}: {})", place_text(facts.place), name,
                       facts.reads ? "to" : "tofrom", name)}};
}

Words ended_frame(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string theirs = base(facts.held_as);
  const std::string function = facts.holder ? facts.holder->function : std::string("a function");
  return {fmt::format("{} sent nothing: {} seemed to be on the device already. {} had mapped its "
                      "local {} at the same stack address, and did not end that mapping",
                      own_clause(facts), name, holder_text(facts), theirs),
          fmt::format("end the mapping of {} before {} returns", theirs, function),
          {fmt::format("in {}, before it returns: #pragma omp target exit data map(delete: {})",
                       function, facts.held_as)}};
}

Words partly_present(const Facts& facts) {
  const std::string name = base(facts.item);
  if (facts.holder && *facts.holder == facts.place) {
    return {fmt::format("{} names {}, of which {} lie in {} of the same directive. A section is "
                        "longer than its data, and LLVM's runtime ends the program",
                        own_clause(facts), spoken_size(facts.bytes), spoken_size(facts.held_bytes),
                        facts.held_as),
            fmt::format("shorten {}: it reaches into {}", facts.item, base(facts.held_as)),
            {fmt::format("at {}, let the section of {} begin and end with its data",
                         place_text(facts.place), name)}};
  }
  if (!facts.member.empty()) {
    return {
        fmt::format("the kernel at {} uses {} at {}, and {} has mapped only {} of its object. The "
                    "memory beside it on the device is other data",
                    place_text(facts.place), facts.member, shown_at(facts), holder_text(facts),
                    facts.held_as),
        fmt::format("map {} too: a kernel uses it, and the device has other members of {}",
                    facts.member, name),
        {fmt::format("let {} map this member too, or the whole object", holder_text(facts))}};
  }
  return {
      fmt::format("{} names {} bytes, of which {} has {} on the device ({}). A mapping cannot be "
                  "extended, and LLVM's runtime ends the program",
                  own_clause(facts), facts.bytes, holder_text(facts), facts.held_bytes,
                  facts.held_as),
      fmt::format("map {} whole at first: a part of it was there", name),
      {fmt::format("let {} map all of {}, or end its mapping first", holder_text(facts), name)}};
}

Words pointer_not_mapped(const Facts& facts) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const std::string& item : facts.pointers) names.push_back(base(item));
  std::string all = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + std::min(kMost, names.size()), ", "));
  if (names.size() > kMost) all += fmt::format(" and {} more", names.size() - kMost);
  const bool is_one = names.size() == 1;
  std::string evidence =
      fmt::format("the {} at {} maps the data of {}, and no clause maps {}",
                  analysis::directive_name(facts.directive), place_text(facts.place), all,
                  is_one ? "this pointer" : "these pointers");
  if (facts.is_attached) {
    evidence += fmt::format(
        ". Compilers before clang 22 map {} with the data. From clang 22 on {} the host's address",
        is_one ? "it" : "them",
        kernels_text(facts) + (facts.kernels.size() == 1 ? " has" : " have"));
  } else {
    evidence += fmt::format(". So {} the host's address, and {} not use the device's data",
                            kernels_text(facts) + (facts.kernels.size() == 1 ? " has" : " have"),
                            facts.kernels.size() == 1 ? "does" : "do");
    if (facts.shown.line > 0) {
      evidence += fmt::format(". A copy back overwrites the values that the kernel writes at {}",
                              shown_at(facts));
    }
  }
  const bool is_entered = facts.directive == Directive::kTargetEnterData;
  return {std::move(evidence),
          fmt::format("map {} too: only the data of {} is mapped", facts.item, all),
          {fmt::format("at {}, add map(to: {}){}", place_text(facts.place), facts.item,
                       is_entered
                           ? fmt::format("; where its data ends, add map(delete: {})", facts.item)
                           : std::string())}};
}

Words device_address(const Facts& facts) {
  const std::string name = base(facts.item);
  return {fmt::format("{} is already an address of device memory, that of {} ({}). A GPU's memory "
                      "cannot be copied like the host's",
                      name, facts.held_as, holder_text(facts)),
          fmt::format("do not map {}: it is a device address", name),
          {fmt::format("at {}, write is_device_ptr({}) in place of the map clause",
                       place_text(facts.place), name)}};
}

Words host_address(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string section = fmt::format(
      "at {}, map the section of {} that the kernel uses, by map(to:), map(from:) or "
      "map(tofrom:)",
      place_text(facts.place), name);
  if (facts.shown.line == 0) {
    return {
        fmt::format("the kernel at {} gets in {} an address of host memory that no clause maps. "
                    "A GPU cannot access it",
                    place_text(facts.place), name),
        fmt::format("map {}, if the kernel follows it: it points to host memory", name),
        {section + ", if it uses any"}};
  }
  return {fmt::format("the kernel at {} uses {}, which no clause maps. It gets an address of host "
                      "memory, which a GPU cannot access",
                      place_text(facts.place), name),
          fmt::format("map {}: the kernel uses host memory", name),
          {section}};
}

Words not_present(const Facts& facts, const Subject& subject) {
  const std::string name = base(facts.item);
  const bool is_update = facts.directive == Directive::kTargetUpdate;
  if (facts.holder) {
    return {fmt::format("{} names the pointer itself ({}), which is not on the device: {} mapped "
                        "{}{}",
                        own_clause(facts), spoken_size(facts.bytes), holder_text(facts),
                        facts.held_as, read_text(facts, "the value from before the kernel")),
            fmt::format("name {} here, not the pointer alone", facts.held_as)};
  }
  const std::uint64_t count = subject.finding.count;
  if (facts.ended) {
    const std::string place = place_text(*facts.ended);
    return {
        fmt::format("{} was not on the device any more{}. A map clause at {} deletes the object of "
                    "{}, which is all of {}",
                    name, count > 1 ? fmt::format(", {} times", count) : std::string(), place,
                    facts.member, facts.held_as),
        fmt::format("release the pointers at {}, do not delete them: {} is deleted with {}", place,
                    facts.held_as, facts.member),
        {fmt::format("at {}, write release in place of delete", place)}};
  }
  return {fmt::format("{} was not on the device: {} did nothing{}", name, own_clause(facts),
                      count > 1 ? fmt::format(", {} times", count) : std::string()),
          fmt::format("map {} before this directive, or remove the directive: {} was not present",
                      name, name),
          {is_update ? fmt::format("map {} by a target enter data before {}, or remove the update",
                                   name, place_text(facts.place))
                     : fmt::format("map {} by a target enter data before {}, or remove it there",
                                   name, place_text(facts.place))}};
}

Words two_devices(const Facts& facts) {
  const std::string name = base(facts.item);
  return {
      fmt::format("device {} copied {} back at {} over the data that device {} had copied back. "
                  "Each device has its own copy",
                  facts.devices.front(), name, place_text(facts.place), facts.devices.back()),
      fmt::format("let each device copy back its own part of {}", name),
      {fmt::format("let the clauses for each device name the section of {} that it works on",
                   name)}};
}

Words unordered(const Facts& facts, const Subject& subject) {
  const std::string name = base(facts.item);
  const std::uint64_t count = subject.finding.count;
  const std::string other = facts.at_end ? "the end of " + holder_text(facts) : holder_text(facts);
  return {
      fmt::format("the {} at {} has nowait, and ran after {} had begun, which is later in the "
                  "program{}. Nothing orders them, and both use {}",
                  analysis::directive_name(facts.directive), place_text(facts.place), other,
                  count > 1 ? fmt::format(", {} times", count) : std::string(), name),
      fmt::format("order the accesses to {}: tasks ran in another order", name),
      {facts.at_end
           ? fmt::format("write #pragma omp taskwait before {}", other)
           : fmt::format("write depend clauses on {} for both, or #pragma omp taskwait before {}",
                         name, other)}};
}

Words uninitialised(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string kernels = facts.kernels.empty()
                                  ? std::string("no kernel wrote it")
                                  : fmt::format("{} wrote it", kernels_text(facts));
  if (!facts.unset_reads.empty()) {
    const std::string read = spoken_list(facts.unset_reads);
    return {fmt::format("{} was copied back at {} with other values when fresh device memory held "
                        "other bytes. {}, and read {}, which nothing had set",
                        name, place_text(facts.place), kernels, read),
            fmt::format("set {} on the device: {} is computed from it", read, name),
            {"send it before the kernel (map(to:), update to), or let a kernel set it"}};
  }
  return {
      fmt::format("{} was copied back at {} with other values when fresh device memory held other "
                  "bytes. Some memory that it depends on was never set ({})",
                  name, place_text(facts.place), kernels),
      fmt::format("set all of {} on the device, or the data that its kernels read", name),
      {fmt::format("send the data that kernels read (map(to:), update to), or let a kernel set all "
                   "of {}",
                   name)}};
}

/// "byte 8000 (element 1000)", "byte -8 (element -1)".
std::string byte_text(const Facts& facts) {
  if (facts.element_bytes == 0) return fmt::format("byte {}", facts.offset);
  const auto bytes = static_cast<std::int64_t>(facts.element_bytes);
  const std::int64_t element =
      facts.offset >= 0 ? facts.offset / bytes : -((-facts.offset + bytes - 1) / bytes);
  return fmt::format("byte {} (element {})", facts.offset, element);
}

/// "the kernel at heat.cpp:41"; of a copy "the target update at heat.cpp:50".
std::string user_text(const Facts& facts) {
  if (facts.directive == Directive::kTarget) return "the kernel at " + place_text(facts.place);
  const std::string_view call = facts.directive == Directive::kApi
                                    ? std::string_view("API call")
                                    : analysis::directive_name(facts.directive);
  return fmt::format("the {} at {}", call, place_text(facts.place));
}

Words out_of_section(const Facts& facts) {
  const std::string at = facts.shown.line > 0 ? fmt::format(" (at {})", shown_at(facts)) : "";
  const bool is_of_api = facts.held_by == Directive::kApi;
  const std::string memory =
      is_of_api ? fmt::format("memory that omp_target_alloc gave at {}",
                              facts.holder ? place_text(*facts.holder) : "an unknown place")
                : facts.item;
  const std::string held = is_of_api ? fmt::format("which has {}", spoken_size(facts.bytes))
                                     : fmt::format("of which {} has {} on the device",
                                                   holder_text(facts), spoken_size(facts.bytes));
  return {fmt::format("{} {} {} of {}{}, {}: it is {}", user_text(facts),
                      facts.is_write ? "writes" : "reads", byte_text(facts), memory, at, held,
                      facts.offset < 0 ? "before the first byte" : "past the last byte"),
          is_of_api ? std::string("allocate all of the memory that is used")
                    : fmt::format("map all of {} that {} uses", base(facts.item), user_text(facts)),
          {fmt::format("let {} hold all elements that {} uses",
                       is_of_api ? memory
                                 : fmt::format("the section of {} at {}", base(facts.item),
                                               facts.holder ? place_text(*facts.holder)
                                                            : place_text(facts.place)),
                       user_text(facts))}};
}

/// "the device memory of u, which the target data at heat.cpp:39 mapped".
std::string memory_text(const Facts& facts) {
  if (facts.held_by == Directive::kApi) {
    return fmt::format("memory that omp_target_alloc gave at {}",
                       facts.holder ? place_text(*facts.holder) : "a place that is not known");
  }
  return fmt::format("the device memory of {}, which {} mapped", base(facts.item),
                     holder_text(facts));
}

Words used_after_delete(const Facts& facts) {
  const std::string end =
      facts.ended ? fmt::format("the directive at {} had freed it", place_text(*facts.ended))
                  : std::string("it was freed");
  return {
      fmt::format("{} {} {}, after {}", user_text(facts), facts.is_write ? "writes to" : "reads",
                  memory_text(facts), end),
      "use no memory after it was freed",
      {fmt::format("free the memory after the kernel at {}. If that has nowait, write taskwait or "
                   "depend",
                   place_text(facts.place))}};
}

Words host_access(const Facts& facts) {
  return {fmt::format("the host {} {} by its device address. The host cannot access a GPU's memory",
                      facts.is_write ? "writes to" : "reads", memory_text(facts)),
          "use no device address on the host",
          {"copy the data to the host (update from, omp_target_memcpy), and use that copy"}};
}

Words freed_while_mapped(const Facts& facts) {
  const std::string name = base(facts.item);
  const std::string end = facts.ended ? fmt::format("the directive at {} ended the mapping later",
                                                    place_text(*facts.ended))
                                      : std::string("no directive ended the mapping");
  return {
      fmt::format("the host freed the memory of {} while {} had it mapped ({}). New data at this "
                  "address is taken for {}",
                  name, holder_text(facts), end, name),
      fmt::format("end the mapping of {} before its memory is freed", name),
      {fmt::format("write #pragma omp target exit data map(delete: {}) before the memory is freed",
                   facts.held_as)}};
}

Words words_of_rule(const Facts& facts, const Subject& subject) {
  using Rule = Facts::Rule;
  switch (facts.rule) {
    case Rule::kNotSent:
      return not_sent(facts);
    case Rule::kNeverSent:
      return never_sent(facts);
    case Rule::kResultsLost:
      return results_lost(facts);
    case Rule::kNotCopiedBack:
      return not_copied_back(facts);
    case Rule::kResultsOverwritten:
      return results_overwritten(facts);
    case Rule::kUnsetCopiedBack:
      return unset_copied_back(facts);
    case Rule::kPrivateCopy:
      return private_copy(facts);
    case Rule::kEndedFrame:
      return ended_frame(facts);
    case Rule::kPartlyPresent:
      return partly_present(facts);
    case Rule::kDeviceAddress:
      return device_address(facts);
    case Rule::kHostAddress:
      return host_address(facts);
    case Rule::kNotPresent:
      return not_present(facts, subject);
    case Rule::kTwoDevices:
      return two_devices(facts);
    case Rule::kUnordered:
      return unordered(facts, subject);
    case Rule::kPointerNotMapped:
      return pointer_not_mapped(facts);
    case Rule::kUninitialised:
      return uninitialised(facts);
    case Rule::kOutOfSection:
      return out_of_section(facts);
    case Rule::kUsedAfterDelete:
      return used_after_delete(facts);
    case Rule::kHostAccess:
      return host_access(facts);
    case Rule::kFreedWhileMapped:
      return freed_while_mapped(facts);
  }
  return {};
}

Words clause_words(const Facts& facts, const Subject& subject) {
  Words words = words_of_rule(facts, subject);
  if (!facts.spoiled.empty()) {
    std::vector<std::string> names;
    for (const std::string& item : facts.spoiled) names.push_back(base(item));
    words.evidence += fmt::format(". {} had other values when fresh memory held other bytes",
                                  fmt::join(names, ", "));
  }
  return words;
}

constexpr auto kWords = words_if<Facts, clause_words>;

constexpr Pattern kPatterns[] = {
    {"not_sent", "changed by the host and not sent", "execution", "executions", kWords},
    {"never_sent", "read before anything set it", "execution", "executions", kWords},
    {"results_lost", "a kernel's results are lost", "execution", "executions", kWords},
    {"not_copied_back", "the clause copied nothing back", "execution", "executions", kWords},
    {"results_overwritten", "a kernel's results are overwritten", "execution", "executions",
     kWords},
    {"unset_copied_back", "copied back unset", "execution", "executions", kWords},
    {"private_copy", "the kernel has a copy of its own", "execution", "executions", kWords},
    {"ended_frame", "found in the place of another local", "execution", "executions", kWords},
    {"partly_present", "on the device in part", "execution", "executions", kWords},
    {"device_address", "mapped by its device address", "execution", "executions", kWords},
    {"host_address", "used by the host's address", "execution", "executions", kWords},
    {"not_present", "was not on the device", "execution", "executions", kWords},
    {"two_devices", "overwritten by another device's copy", "execution", "executions", kWords},
    {"unordered", "ran in another order", "execution", "executions", kWords},
    {"pointer_not_mapped", "data mapped without its pointer", "execution", "executions", kWords},
    {"uninitialised", "came from memory that nothing had set", "copy", "copies", kWords},
    {"out_of_section", "used past its section", "access", "accesses", kWords},
    {"used_after_delete", "used after it was freed", "access", "accesses", kWords},
    {"host_access", "used by the host by its device address", "access", "accesses", kWords},
    {"freed_while_mapped", "freed while it is mapped", "mapping", "mappings", kWords}};

}  // namespace

std::span<const Pattern> clause_patterns() { return kPatterns; }

}  // namespace ompdm::report
