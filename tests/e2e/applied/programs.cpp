#include "programs.h"

#include "offload_build.h"
#include "program_list.h"
#include "recorded.h"

namespace ompdm::e2e {
namespace {

/// Collects programs, family by family; those of findings have a file of their own.
class Programs {
 public:
  std::vector<AppliedProgram> all() {
    add_small();
    add_findings(list_);
    add_evidence();
    add_loops();
    add_shapes();
    add_forms();
    add_kernels();
    add_others();
    return list_.take();
  }

 private:
  void add_small() {
    for (const std::string name :
         {"always", "api", "api_async", "conditions", "declare_target", "devices", "firstprivate",
          "mapper", "mapper_nested", "nested_data", "nowait_depend", "parallel_regions",
          "reductions", "reused", "same_line", "strided_update", "struct_members", "unified"}) {
      list_.add(name, "programs", {name + ".c"}, {{}});
    }
    for (const std::string name :
         {"classes", "instances", "objects", "reached", "templates", "threads"}) {
      AppliedProgram& program = list_.add(name, "programs", {name + ".cpp"}, {{}});
      if (name == "threads") read(program, {}, {"a"});
    }
    list_.add("two_parts", "programs", {"two_parts.c", "scale.c", "shift.c"}, {{}});
    list_.add("load_twice", "programs", {"load_twice.c"}, runs_of({program("libscale.so")}));
    list_.add("interior", "findings", {"interior.c"}, {{}});
  }

  void add_evidence() {
    AppliedProgram& identity =
        list_.add("identity_O2", "evidence", {"identity.cpp"},
                  runs_of({"dead_locals", "dead_locals_of_instances", "one_function_again",
                           "dead_inlined_locals", "freed_blocks", "freed_block_of_another_size",
                           "freed_scratch", "local_of_the_caller", "block_of_the_caller",
                           "swapped_pointers"}));
    read(identity, {"local_of_the_caller"}, {"x", "@local", "", {{"x[0:n]", "u[0:n]"}}});
    read(identity, {"swapped_pointers"}, {"u, v"});
    AppliedProgram& writers = list_.add(
        "writers", "evidence", {"writers.cpp"},
        runs_of({"by_table_of_addresses", "by_table_of_pointers", "by_device_address", "by_member",
                 "by_capture", "by_lambda", "in_its_own_copy", "while_it_runs", "by_none"}));
    refuse(writers, "in_its_own_copy",
           {"duplicate_transfer", "a", "its kernel changes what it only maps to"});
  }

  void add_loops() {
    AppliedProgram& loops = list_.add("loops", "loops", {"loops.c"},
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
      AppliedProgram& shapes = list_.add(
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
      AppliedProgram& forms = list_.add(
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
    AppliedProgram& program = list_.add(name, "", {}, {});
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
      AppliedProgram& program = list_.add(name, "endings/programs", {name + ".cpp"}, {{}});
      program.path = built + "/endings/" + name;
      if (name == "plain") read(program, {}, {"values"});
    }
    list_.add("data_only", "verbs", {"data_only.c"}, {{}}).path = built + "/verbs/data_only";
  }

  ProgramList list_;
};

}  // namespace

std::vector<AppliedProgram> applied_programs() { return Programs().all(); }

}  // namespace ompdm::e2e
