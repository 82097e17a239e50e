// Programs of tests/e2e/findings: planted and nearly, naive and advised.
#include "program_list.h"

namespace ompdm::e2e {
namespace {

void add_needless(ProgramList& list) {
  list.add("needless", "findings", {"needless.c"},
           runs_of({"overwritten", "seen_in_between", "dropped", "never_used", "never_named",
                    "brought_each_time", "brought_at_times", "allocated_again", "leaked",
                    "piecewise", "mapped_again"},
                   {"20000", "40"}));
}

void add_contents(ProgramList& list) {
  AppliedProgram& contents = list.add(
      "contents", "findings", {"contents.c"},
      runs_of({"sent_again", "sent_again_changed", "sent_again_restoring", "mapped_twice",
               "equal_arrays", "zeros", "two_devices", "there_and_back", "there_and_back_changed",
               "only_read", "one_element", "alternating", "loop_unchanged", "freed_and_made_anew",
               "sent_over", "sent_over_in_each_pass", "returned_twice", "returned_changed",
               "returned_to_restore"},
              {"20000", "12"}));
  contents.environment = {{"OMPDM_HASH", "full"}};
  // What it changes, other ways call too.
  AppliedProgram& changed =
      list.add("contents", "findings", {"contents.c"}, runs_of({"loop_changed"}, {"20000", "12"}));
  changed.name = "contents_loop_changed";
  changed.environment = {{"OMPDM_HASH", "full"}};
}

void add_present(ProgramList& list) {
  list.add("present", "findings", {"present.c"},
           runs_of({"returned_by_another", "updated_beside", "counted_down_beside", "ended_beside",
                    "ended_later", "moved_or_found", "returned_by_one_edit", "scalar_found",
                    "array_as_small", "part_there_before", "left_beside"},
                   {"20000", "12"}));
}

void add_kept(ProgramList& list) {
  AppliedProgram& kept = list.add(
      "kept", "findings", {"kept.c"},
      runs_of({"updated_within", "sent_always", "returned_always", "overwritten_always",
               "sent_the_same", "no_pass", "not_filled", "grows", "named_later", "one_pass_of_more",
               "one_pass_otherwise", "called_otherwise", "swapped_away", "restored", "spoilt"},
              {"20000", "12"}));
  for (AppliedRun& run : kept.runs) {
    run.has_empty_loop = run.arguments.front() == "no_pass";
  }
}

void add_course(ProgramList& list) {
  list.add("course_heat", "findings", {"course_heat.cpp"},
           runs_of({"naive", "model", "inside", "rows", "sizes"}, {"3"}));
}

void add_advised(ProgramList& list) {
  list.add("devices_split", "findings", {"devices_split.cpp"}, runs_of({"8"}));
  list.add("members", "findings", {"members.cpp"}, runs_of({"8"}));
  list.add("meanwhile", "findings", {"meanwhile.cpp"}, runs_of({"8"}));
  list.add("nested", "findings", {"nested.cpp"}, runs_of({"8"}));
  list.add("same_names", "findings", {"same_names.cpp"}, runs_of({"8"}));
  list.add("scratch", "findings", {"scratch.cpp"}, runs_of({"8"}));
  list.add("heat_advised", "findings", {"heat_advised.cpp"}, {{{"60", "5", "keep"}}});
  list.add("jacobi_advised", "findings", {"jacobi_advised.cpp"}, runs_of({"60"}));
}

void add_pieces(ProgramList& list) {
  list.add("pieces", "findings", {"pieces.cpp"},
           {{{"walked", "400"}},
            {{"found_there", "400"}},
            {{"scaled", "20000"}},
            {{"scaled_by_arguments", "20000"}},
            {{"rectangle", "0"}},
            {{"rectangle_by_rows", "0"}}});
}

void add_harm(ProgramList& list) {
  list.add("constant_table", "findings", {"constant_table.cpp"}, {{}}).environment = {
      {"OMPDM_HASH", "full"}};
  list.add("keep_the_last", "findings", {"keep_the_last.cpp"}, {{}});
  AppliedProgram& twice = list.add("computed_twice", "findings", {"computed_twice.cpp"}, {{}});
  twice.runs[0].also = {{"3"}};
  AppliedProgram& swapped = list.add("swapped", "findings", {"swapped.cpp"}, runs_of({"2", "5"}));
  for (AppliedRun& run : swapped.runs) run.also = {{"1"}, {"2"}, {"5"}, {"6"}};
  list.add("no_pass", "findings", {"no_pass.cpp"}, runs_of({"5"}));
  list.add("one_value_changed", "findings", {"one_value_changed.cpp"}, runs_of({"5"}));
}

void add_untaken(ProgramList& list) {
  for (const std::string level : {"O0", "O2"}) {
    list.add("untaken_" + level, "findings", {"untaken.cpp"},
             runs_of({"loop", "function", "host", "after"}, {"7"}), {"-" + level});
  }
}

}  // namespace

void add_findings(ProgramList& list) {
  add_needless(list);
  add_contents(list);
  add_present(list);
  add_kept(list);
  add_course(list);
  add_advised(list);
  add_pieces(list);
  add_harm(list);
  add_untaken(list);
}

}  // namespace ompdm::e2e
