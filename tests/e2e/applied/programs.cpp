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
      list_.add(name, "programs", {name + ".cpp"}, {{}});
    }
    list_.add("two_parts", "programs", {"two_parts.c", "scale.c", "shift.c"}, {{}});
    list_.add("load_twice", "programs", {"load_twice.c"}, runs_of({program("libscale.so")}));
    list_.add("interior", "findings", {"interior.c"}, {{}});
  }

  void add_evidence() {
    list_.add("identity_O2", "evidence", {"identity.cpp"},
              runs_of({"dead_locals", "dead_locals_of_instances", "one_function_again",
                       "dead_inlined_locals", "freed_blocks", "freed_block_of_another_size",
                       "freed_scratch", "local_of_the_caller", "block_of_the_caller",
                       "swapped_pointers"}));
    list_.add(
        "writers", "evidence", {"writers.cpp"},
        runs_of({"by_table_of_addresses", "by_table_of_pointers", "by_device_address", "by_member",
                 "by_capture", "by_lambda", "in_its_own_copy", "while_it_runs", "by_none"}));
  }

  void add_loops() {
    list_.add("loops", "loops", {"loops.c"},
              {{{"probe_within", "105"}},
               {{"probe_between", "100"}},
               {{"inner_group", "40"}},
               {{"threads", "40"}},
               {{"deferred", "60"}}});
  }

  void add_shapes() {
    for (const std::string level : {"O0", "O2"}) {
      list_.add(
          "shapes_" + level, "loops", {"shapes.cpp"},
          runs_of({"optional", "either", "alternating", "levels", "v_cycles", "w_cycles", "sweeps",
                   "three_solves", "solves_in_a_loop", "three_calls", "nested", "one_line",
                   "templates", "frames_above", "devices", "maybe", "copies", "parallel"}),
          {"-" + level});
    }
  }

  void add_forms() {
    for (const std::string level : {"O0", "O2"}) {
      list_.add(
          "forms_" + level, "loops", {"forms.cpp"},
          runs_of({"peeled", "unrolled", "triangular", "caught", "left_early", "unrolled_with_one",
                   "sorted", "threads", "deferred", "chosen", "two_in_a_row", "unrolled_inside",
                   "leaves_by_another_way", "every_fourth", "unrolled_around", "for_each_of_them"}),
          {"-" + level});
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
    }
    list_.add("data_only", "verbs", {"data_only.c"}, {{}}).path = built + "/verbs/data_only";
  }

  ProgramList list_;
};

}  // namespace

std::vector<AppliedProgram> applied_programs() { return Programs().all(); }

}  // namespace ompdm::e2e
