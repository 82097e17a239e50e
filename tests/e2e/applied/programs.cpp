#include "programs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "offload_build.h"
#include "recorded.h"

namespace ompdm::e2e {
namespace {

using Words = std::vector<std::string>;

/// Its runs are those of the words, each with what comes behind.
std::vector<AppliedRun> runs_of(const Words& words, const Words& behind = {}) {
  std::vector<AppliedRun> runs;
  for (const std::string& word : words) {
    AppliedRun& run = runs.emplace_back(AppliedRun{{word}});
    run.arguments.insert(run.arguments.end(), behind.begin(), behind.end());
  }
  return runs;
}

/// Findings of the runs that have one of these words (none: of all) are followed as they are read.
void read(AppliedProgram& program, const Words& words, const Reading& reading) {
  for (AppliedRun& run : program.runs) {
    const bool is_one =
        words.empty() || std::ranges::find_first_of(run.arguments, words) != run.arguments.end();
    if (is_one) run.readings.push_back(reading);
  }
}

void refuse(AppliedProgram& program, const std::string& word, const NotFollowed& finding) {
  for (AppliedRun& run : program.runs) {
    if (std::ranges::find(run.arguments, word) != run.arguments.end()) {
      run.not_followed.push_back(finding);
    }
  }
}

/// Collects programs, family by family.
class Programs {
 public:
  std::vector<AppliedProgram> all() {
    add_small();
    add_needless();
    add_contents();
    add_course();
    add_advised();
    add_pieces();
    add_untaken();
    add_evidence();
    add_loops();
    add_shapes();
    add_forms();
    add_kernels();
    add_others();
    return std::move(all_);
  }

 private:
  /// Its sources lie in a folder of tests/e2e.
  AppliedProgram& add(const std::string& name, const std::string& folder, const Words& sources,
                      std::vector<AppliedRun> runs, Words options = {}) {
    AppliedProgram program = {name, e2e::program(name), {}, std::move(options), std::move(runs)};
    const std::filesystem::path e2e = std::filesystem::path(OMPDM_E2E_SOURCES).parent_path();
    for (const std::string& source : sources) program.sources.push_back(e2e / folder / source);
    const bool is_c = !sources.empty() && sources.front().ends_with(".c");
    if (!is_c) program.options.insert(program.options.begin(), "-std=c++20");
    return all_.emplace_back(std::move(program));
  }

  void add_small() {
    for (const std::string name :
         {"always", "api", "api_async", "conditions", "declare_target", "devices", "firstprivate",
          "mapper", "mapper_nested", "nested_data", "nowait_depend", "parallel_regions",
          "reductions", "reused", "same_line", "strided_update", "struct_members", "unified"}) {
      add(name, "programs", {name + ".c"}, {{}});
    }
    for (const std::string name :
         {"classes", "instances", "objects", "reached", "templates", "threads"}) {
      add(name, "programs", {name + ".cpp"}, {{}});
    }
    read(all_.back(), {}, {"a"});
    add("two_parts", "programs", {"two_parts.c", "scale.c", "shift.c"}, {{}});
    add("load_twice", "programs", {"load_twice.c"}, runs_of({program("libscale.so")}));
    add("interior", "findings", {"interior.c"}, {{}});
  }

  void add_needless() {
    AppliedProgram& needless =
        add("needless", "findings", {"needless.c"},
            runs_of({"overwritten", "seen_in_between", "dropped", "never_used", "never_named",
                     "brought_each_time", "brought_at_times", "allocated_again", "leaked",
                     "piecewise", "mapped_again"},
                    {"20000", "40"}));
    read(needless, {"allocated_again"}, {"a", "@allocated"});
    read(needless, {"leaked"}, {"a", "@leaked"});
  }

  void add_contents() {
    AppliedProgram& contents =
        add("contents", "findings", {"contents.c"},
            runs_of({"sent_again", "sent_again_changed", "sent_again_restoring", "mapped_twice",
                     "equal_arrays", "zeros", "two_devices", "there_and_back",
                     "there_and_back_changed", "only_read", "one_element", "alternating",
                     "loop_unchanged", "freed_and_made_anew", "sent_over", "sent_over_in_each_pass",
                     "returned_twice", "returned_changed", "returned_to_restore"},
                    {"20000", "12"}));
    contents.environment = {{"OMPDM_HASH", "full"}};
    read(contents, {"mapped_twice"}, {"a", "@twice", "@again"});
    read(contents, {"there_and_back"}, {"a", "@there", "@back"});
    read(contents, {"loop_unchanged"}, {"a"});
    refuse(contents, "returned_to_restore",
           {"unmodified_copy_back", "a", "the host wants its copy restored"});
    // What it changes, other ways call too.
    AppliedProgram& changed =
        add("contents", "findings", {"contents.c"}, runs_of({"loop_changed"}, {"20000", "12"}));
    changed.name = "contents_loop_changed";
    changed.environment = {{"OMPDM_HASH", "full"}};
    read(changed, {}, {"a", "@changed"});
  }

  void add_course() {
    AppliedProgram& course = add("course_heat", "findings", {"course_heat.cpp"},
                                 runs_of({"naive", "model", "inside", "rows", "sizes"}, {"3"}));
    read(course, {"naive"}, {"next, now"});
    read(course, {"rows"}, {"values", "", "", {{"values[k * n:n]", "values[0:4 * n]"}}});
    read(course, {"sizes"}, {"values", "", "", {{"values[0:size]", "values[0:n * n]"}}});
  }

  void add_advised() {
    add("devices_split", "findings", {"devices_split.cpp"}, runs_of({"8"}));
    read(add("members", "findings", {"members.cpp"}, runs_of({"8"})), {}, {"s.p, s.q"});
    read(add("meanwhile", "findings", {"meanwhile.cpp"}, runs_of({"8"})), {}, {"f, u"});
    add("nested", "findings", {"nested.cpp"}, runs_of({"8"}));
    read(add("same_names", "findings", {"same_names.cpp"}, runs_of({"8"})), {},
         {"g, o (in blur), o (in edge)",
          "",
          "",
          {{"g[0:n] /* in fill */", "x[0:count]"},
           {"o[0:n] /* in blur */", "y[0:count]"},
           {"o[0:n] /* in edge */", "z[0:count]"}}});
    read(add("scratch", "findings", {"scratch.cpp"}, runs_of({"8"})), {}, {"f, x"});
    add("heat_advised", "findings", {"heat_advised.cpp"}, {{{"60", "5", "keep"}}});
    add("jacobi_advised", "findings", {"jacobi_advised.cpp"}, runs_of({"60"}));
  }

  void add_pieces() {
    AppliedProgram& pieces = add("pieces", "findings", {"pieces.cpp"},
                                 {{{"walked", "400"}},
                                  {{"found_there", "400"}},
                                  {{"scaled", "20000"}},
                                  {{"scaled_by_arguments", "20000"}},
                                  {{"rectangle", "0"}},
                                  {{"rectangle_by_rows", "0"}}});
    read(pieces, {"walked"}, {"v", "exit data map(release : v"});
    read(pieces, {"found_there"}, {"v", "exit data map(mapper(whole), release"});
  }

  void add_untaken() {
    for (const std::string level : {"O0", "O2"}) {
      AppliedProgram& untaken =
          add("untaken_" + level, "findings", {"untaken.cpp"},
              runs_of({"loop", "function", "host", "after"}, {"7"}), {"-" + level});
      read(untaken, {"loop", "function"}, {"u"});
      read(untaken, {"after"}, {"u", "++t) step(u, n);"});
    }
  }

  void add_evidence() {
    AppliedProgram& identity =
        add("identity_O2", "evidence", {"identity.cpp"},
            runs_of({"dead_locals", "dead_locals_of_instances", "one_function_again",
                     "dead_inlined_locals", "freed_blocks", "freed_block_of_another_size",
                     "freed_scratch", "local_of_the_caller", "block_of_the_caller",
                     "swapped_pointers"}));
    read(identity, {"local_of_the_caller"}, {"x", "@local", "", {{"x[0:n]", "u[0:n]"}}});
    read(identity, {"swapped_pointers"}, {"u, v"});
    AppliedProgram& writers = add(
        "writers", "evidence", {"writers.cpp"},
        runs_of({"by_table_of_addresses", "by_table_of_pointers", "by_device_address", "by_member",
                 "by_capture", "by_lambda", "in_its_own_copy", "while_it_runs", "by_none"}));
    refuse(writers, "in_its_own_copy",
           {"duplicate_transfer", "a", "its kernel changes what it only maps to"});
  }

  void add_loops() {
    AppliedProgram& loops = add("loops", "loops", {"loops.c"},
                                {{{"probe_within", "105"}},
                                 {{"probe_between", "100"}},
                                 {{"inner_group", "40"}},
                                 {{"threads", "40"}},
                                 {{"deferred", "60"}}});
    read(loops, {"probe_within", "probe_between", "inner_group", "deferred"}, {"a"});
    read(loops, {"threads"}, {"a", "", "", {{"a[0:kSize]", "own[0:kSize]"}}});
  }

  void add_shapes() {
    for (const std::string level : {"O0", "O2"}) {
      AppliedProgram& shapes = add(
          "shapes_" + level, "loops", {"shapes.cpp"},
          runs_of({"optional", "either", "alternating", "levels", "v_cycles", "w_cycles", "sweeps",
                   "three_solves", "solves_in_a_loop", "three_calls", "nested", "one_line",
                   "templates", "frames_above", "devices", "maybe", "copies", "parallel"}),
          {"-" + level});
      read(shapes,
           {"optional", "either", "alternating", "levels", "v_cycles", "w_cycles", "sweeps",
            "three_solves", "three_calls", "maybe"},
           {"data"});
      read(shapes, {"nested"}, {"data", level == "O0" ? "" : "for (int j = 0"});
      read(shapes, {"frames_above"}, {"data", "pass < 25"});
      read(shapes, {"parallel"}, {"data", "pass < 12"});
      read(shapes, {"solves_in_a_loop"}, {"data", "int start = 0"});
      read(shapes, {"templates"}, {"values (in scale<double>), values (in scale<float>)"});
    }
  }

  void add_forms() {
    for (const std::string level : {"O0", "O2"}) {
      AppliedProgram& forms = add(
          "forms_" + level, "loops", {"forms.cpp"},
          runs_of({"peeled", "unrolled", "triangular", "caught", "left_early", "unrolled_with_one",
                   "sorted", "threads", "deferred", "chosen", "two_in_a_row", "unrolled_inside",
                   "leaves_by_another_way", "every_fourth", "unrolled_around", "for_each_of_them"}),
          {"-" + level});
      read(forms,
           {"peeled", "unrolled", "triangular", "caught", "left_early", "sorted", "deferred",
            "chosen", "unrolled_inside", "unrolled_around"},
           {"data"});
      read(forms, {"unrolled_with_one"}, {"data", "pass < 3;"});
      refuse(forms, "two_in_a_row",
             {"per_iteration_mapping", "data", "the host changes it in each pass", 1600});
      read(forms, {"two_in_a_row"}, {"data", "pass < 4"});
      read(forms, {"leaves_by_another_way"}, {"data", "while (true)"});
      read(forms, {"every_fourth"}, {"data", "pass = 0;;"});
      read(forms, {"for_each_of_them"}, {"data", "std::for_each"});
    }
  }

  void add_kernel(const std::string& name, const Words& rungs, const Words& sizes) {
    AppliedProgram& program = add(name, "", {}, {});
    program.path = kernel(name);
    program.sources = {OMPDM_KERNEL_SOURCES "/" + name + ".cpp"};
    for (const std::string& rung : rungs) {
      AppliedRun& run = program.runs.emplace_back(AppliedRun{{"--variant", rung}});
      run.arguments.insert(run.arguments.end(), sizes.begin(), sizes.end());
    }
  }

  void add_kernels() {
    add_kernel("heat", {"naive", "data", "collapse", "optimized"}, {"60", "5"});
    add_kernel("jacobi", {"naive", "data", "branchless", "coalesced"}, {"60"});
    add_kernel("vadd", {"implicit", "mapped"}, {"1000"});
    add_kernel("pi", {"target", "parallel", "distribute", "nested", "combined", "loop"},
               {"1000000"});
  }

  void add_others() {
    const std::string built = offload_build().folder;
    for (const std::string name : {"plain", "late"}) {
      add(name, "endings/programs", {name + ".cpp"}, {{}}).path = built + "/endings/" + name;
    }
    read(all_[all_.size() - 2], {}, {"values"});
    add("data_only", "verbs", {"data_only.c"}, {{}}).path = built + "/verbs/data_only";
  }

  std::vector<AppliedProgram> all_;
};

}  // namespace

std::vector<AppliedProgram> applied_programs() { return Programs().all(); }

}  // namespace ompdm::e2e
