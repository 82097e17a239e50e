// Small programs of which printed edits once were wrong: see tests/e2e/cases.
#include <utility>

#include "offload_build.h"
#include "program_list.h"

namespace ompdm::e2e {
namespace {

AppliedProgram case_of(const std::string& source, const Words& arguments = {},
                       std::vector<Words> also = {}) {
  ProgramList list;
  const std::string name = source.substr(0, source.find('.'));
  list.add(name, "cases", {source}, {{.arguments = arguments, .also = std::move(also)}});
  AppliedProgram program = std::move(list.take().front());
  program.path.clear();
  return program;
}

}  // namespace

std::vector<AppliedProgram> applied_cases() {
  return {case_of("card_hides_update.cpp"), case_of("fix_redecl.cpp"),
          case_of("ledger_dow.cpp", {"40"}, {{"0"}}), case_of("shortened_code.cpp"),
          case_of("stood_for_other_data.cpp")};
}

std::vector<AppliedProgram> applied_cases_slow() {
  return {case_of("fix_cast.c"),
          case_of("fix_ext.c"),
          case_of("fix_from.c"),
          case_of("fix_irr.c", {"100000"}, {{"10"}}),
          case_of("fix_upd.c"),
          case_of("fix_zero.c", {"0"}, {{"3"}}),
          case_of("ledger_b.cpp", {"20000", "20"}, {{"20000", "0"}}),
          case_of("ledger_part.cpp"),
          case_of("ledger_reuse.cpp"),
          case_of("ledger_small.cpp", {"40"}, {{"1"}}),
          case_of("n06_unused_item.c"),
          case_of("s02_scalar_firstprivate.c"),
          case_of("s05_read_before_written.c"),
          case_of("s06_deleted_results.c"),
          case_of("s08_stale_frame.c"),
          case_of("s16b_section_too_short.c"),
          case_of("s18_strided_update.c"),
          case_of("w01_heap_without_map.c"),
          case_of("w04_nowait_no_wait.c"),
          case_of("x02_update_wrong_way.c")};
}

}  // namespace ompdm::e2e
