// Where the runtime, CUDA and the loader enter the recorder: the preload constructor,
// ompt_start_tool, initialize and finalize, InitializeInjection; and where the process forks or
// exits.
#include "record/attach.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/call_paths.h"
#include "record/clock.h"
#include "record/cupti.h"
#include "record/definitions.h"
#include "record/device_blocks.h"
#include "record/digest.h"
#include "record/entry_points.h"
#include "record/hashing.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/ompt.h"
#include "record/ompt_callbacks.h"
#include "record/process_facts.h"
#include "record/recorder.h"
#include "record/sites.h"
#include "record/spool_writer.h"
#include "record/thread_buffer.h"
#include "spool_format/activities.h"

namespace ompdm::record {

namespace {

Phase phase_at_fork = Phase::kDetached;

void before_fork() noexcept { phase_at_fork = wiped_on_fork.phase.load(); }

// The child starts with a clean state, and records into a spool of its own from its first target
// event on.
void after_fork_in_child() noexcept {
  const KeptErrno kept_errno;
  pthread_mutex_init(&recorder.mutex, nullptr);
  if (this_thread.inside) {
    // Forked in a signal handler: the child continues in the middle of a callback, which writes to
    // a private copy of the chunk. The child stays detached.
    wiped_on_fork.phase.store(Phase::kDetached);
    recorder.header.store(&recorder.draft);
    detach_chunk();
    return;
  }
  forget_spool();
  forget_buffers();
  forget_early_events();
  revise_modules_after_fork();
  memset(recorder.draft.losses, 0, sizeof(recorder.draft.losses));
  describe_process(recorder.draft);
  budget.restart(recorder.draft.attach.ticks);
  recorder.header.store(&recorder.draft);  // from here on the parent's spool is out of reach
  forget_cupti();
  recorder.failed.store(false);
  this_thread.call = nullptr;
  recorder.forked = true;
  wiped_on_fork.phase.store(phase_at_fork == Phase::kFinished ? Phase::kDetached : phase_at_fork);
}

void at_exit() noexcept {
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  // From here on finalize means the end of the process. If the runtime was finalised before
  // (omp_pause_resource_all), or will not be (a pending nowait kills the process), this is the last
  // call.
  recorder.exiting.store(true);
  // Without OMPT there is no finalize.
  if (wiped_on_fork.phase.load() == Phase::kPaused ||
      recorder.draft.attached_by == spool::kAttachedByCuda) {
    end_recording();
  }
}

// Has fork and exit call the recorder, from the first call on.
void watch_process() noexcept {
  if (!recorder.hooked) {
    recorder.hooked = true;
    pthread_atfork(before_fork, nullptr, after_fork_in_child);
    detach_unseen_children();
    atexit(at_exit);
  }
}

bool cured = false;
bool preloaded = false;

// Called in a preloaded library alone. Where the program has a tool of its own, libomptarget is
// left unconnected, since a connection would start that tool.
void help_delivery() noexcept {
  if (other_tool() == nullptr) {
    cured = cure_missing_name() || cured;
  } else if (offload_runtime_is_loaded()) {
    report_other_tool();
  }
}

void on_device_initialize(int device, const char* type, ompt_device_t* /*handle*/,
                          ompt_function_lookup_t /*lookup*/, const char* /*documentation*/) {
  const Inside inside;
  if (!inside || !armed()) {
    return;
  }
  const WithoutCancellation uncancelled;
  // This event proves that libomptarget is connected, whatever find_delivery() concluded.
  if (recorder.draft.reach != spool::Reach::kOk) {
    const spool::Reach reach = cured ? spool::Reach::kCured : spool::Reach::kOk;
    recorder.draft.reach = reach;
    recorder.header.load()->reach = reach;
  }
  if (recorder.draft.attached_by == spool::kAttachedByCuda) {
    recorder.draft.attached_by = preloaded ? 1 : 0;
    recorder.header.load()->attached_by = recorder.draft.attached_by;
  }
  note_runtime_library();
  if (recorder.config.names) {
    find_entry_points();
  }
  scan_modules();
  note_device(spool::DeviceEvent::kInitialize, device, 0, type);
  cupti_device(device, type);
}

void on_device_finalize(int device) {
  const Inside inside;
  if (!inside) {
    return;
  }
  const WithoutCancellation uncancelled;
  if (armed()) {
    note_host_fallback(true);
  }
  if (armed() && spool_is_open()) {
    note_device(spool::DeviceEvent::kFinalize, device, 0, nullptr);
    flush_activities();
  }
}

void on_device_load(int device, const char* /*filename*/, std::int64_t /*offset*/,
                    void* /*vma_in_file*/, std::size_t bytes, void* /*host_address*/,
                    void* /*device_address*/, std::uint64_t /*module*/) {
  const Inside inside;
  if (!inside || !armed()) {
    return;
  }
  const WithoutCancellation uncancelled;
  scan_modules();
  note_device(spool::DeviceEvent::kLoad, device, bytes, nullptr);
}

void register_callbacks(ompt_set_callback_t set_callback) noexcept {
  using spool::Callback;
  const auto take = [set_callback](Callback which, ompt_callbacks_t event, auto* callback) {
    recorder.draft.registered[static_cast<std::size_t>(which)] =
        set_callback(event, reinterpret_cast<ompt_callback_t>(callback));
  };
  take(Callback::kTargetEmi, ompt_callback_target_emi, on_target);
  take(Callback::kTargetDataOpEmi, ompt_callback_target_data_op_emi, on_data_op);
  take(Callback::kTargetSubmitEmi, ompt_callback_target_submit_emi, on_submit);
  take(Callback::kDeviceInitialize, ompt_callback_device_initialize, on_device_initialize);
  take(Callback::kDeviceFinalize, ompt_callback_device_finalize, on_device_finalize);
  take(Callback::kDeviceLoad, ompt_callback_device_load, on_device_load);
}

bool attached = false;

// Initialises what recording needs.
void attach() noexcept {
  if (attached && wiped_on_fork.phase.load() != Phase::kDetached) {
    return;
  }
  attached = true;
  remember_stderr();
  prepare_find_object();
  choose_clock();
  recorder.config = read_config();
  spool::FileHeader& draft = recorder.draft;
  describe_process(draft);
  for (int& answer : draft.registered) {
    answer = -1;
  }
  if (recorder.config.session != nullptr) {
    strncpy(draft.session, recorder.config.session, sizeof(draft.session) - 1);
  }
  draft.hashing = recorder.config.hashing;
  start_budget(recorder.config.hashing, draft.attach);
  recorder.contents = !budget.off();
  if (checks_blocks()) {
    // Runs with one fill and with its complement are compared.
    const auto fill = static_cast<unsigned char>(recorder.config.fill);
    const auto other = static_cast<unsigned char>(~fill);
    ignore_fills(fill < other ? fill : other, fill < other ? other : fill);
  }
  start_window();
  if (recorder.config.names) {
    prepare_paths();
  }
  recorder.header.store(&draft);
}

constexpr int kSetAlways = 5;  // ompt_set_always

int initialize(ompt_function_lookup_t lookup, int /*initial_device*/, ompt_data_t* /*tool_data*/) {
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) {
    say("this OpenMP runtime offers no ompt_set_callback: nothing is recorded");
    return 0;
  }
  spool::FileHeader& draft = recorder.draft;
  // A target library that was opened after the OpenMP runtime can still be helped from here.
  if (!preloaded && !offload_runtime_is_loaded()) {
    cured = cure_missing_name();
  }
  draft.reach = find_delivery(reinterpret_cast<const void*>(lookup));
  if (cured && draft.reach == spool::Reach::kOk) {
    draft.reach = spool::Reach::kCured;
  }
  recorder.wrappers_only.store(draft.reach == spool::Reach::kUnreachable ||
                               draft.reach == spool::Reach::kOtherRuntime);
  register_callbacks(set_callback);
  if (recorder.config.names) {
    prepare_api_calls(lookup);
    set_callback(ompt_callback_task_create, reinterpret_cast<ompt_callback_t>(on_task_create));
  }
  if (draft.registered[static_cast<std::size_t>(spool::Callback::kTargetEmi)] != kSetAlways) {
    recorder.wrappers_only.store(true);
    draft.reach = spool::Reach::kNoEmi;
    if (recorder.config.names && offload_runtime_is_loaded()) {
      say("this OpenMP runtime reports no target events (LLVM 19 is the oldest that does): only "
          "directives, mapped sizes and names are recorded, no transfers");
    }
  }
  warn_of_delivery(draft.reach);
  note_runtime_library();
  if (!recorder.config.names) {
    draft.names = spool::Names::kOff;
  } else if (kWrapperCount == 0) {
    draft.names = spool::Names::kUnsupported;
  } else if (offload_runtime_is_loaded() && !find_entry_points()) {
    draft.names = spool::Names::kFailed;
  }
  const Inside inside;
  wiped_on_fork.phase.store(Phase::kArmed);
  scan_modules();
  watch_thread_ends();
  watch_process();
  return 1;
}

void finalize(ompt_data_t* /*tool_data*/) {
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  if (recorder.exiting.load()) {
    end_recording();
  } else {
    pause_recording();
  }
}

ompt_start_tool_result_t result = {initialize, finalize, {0}};

// Runs in every process that inherits LD_PRELOAD, shells included, so it must be cheap.
void look_for_preload() noexcept {
  const char* preload = getenv("LD_PRELOAD");
  preloaded = preloaded || (preload != nullptr && strstr(preload, "libompdm.so") != nullptr);
  if (preloaded) {
    help_delivery();
  }
}

// `ompdm record` has reported this already.
void report_displaced_tools() noexcept {
  const char* tools = getenv("OMP_TOOL_LIBRARIES");
  if (preloaded && recorder.config.session == nullptr && tools != nullptr && tools[0] != '\0' &&
      strstr(tools, "libompdm.so") == nullptr) {
    say("OMP_TOOL_LIBRARIES=%s: OpenMP starts one tool only, so it is not started in this run",
        tools);
  }
}

[[gnu::constructor]] void on_load() noexcept {
  const KeptErrno kept_errno;
  look_for_preload();
}

// The function that __tgt_register_lib interposes.
void (*next_register_lib() noexcept)(void*) {
  const KeptErrno kept_errno;
  preloaded = true;
  help_delivery();
  return reinterpret_cast<void (*)(void*)>(next_entry_point("__tgt_register_lib"));
}

}  // namespace

}  // namespace ompdm::record

/// Stands in front of libomptarget's when the recorder is preloaded. Constructors of objects with
/// target regions call it, those of libraries before our own constructor has run; the first call
/// makes libomptarget look for libomp.so. Of a library that is opened later, this is the only sight
/// before its first construct.
extern "C" [[gnu::visibility("default")]] void __tgt_register_lib(void* descriptor) {
  using namespace ompdm::record;
  if (auto* real = next_register_lib()) {
    real(descriptor);
  }
  if (armed()) {
    const Inside inside;
    if (inside) {
      scan_modules();
    }
  }
}

/// Entry point of OMPT tools (OpenMP 5.2, 19.2.1).
extern "C" [[gnu::visibility("default")]] ompt_start_tool_result_t* ompt_start_tool(
    unsigned omp_version, const char* runtime_version) {
  using namespace ompdm::record;
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  look_for_preload();  // LLVM 16's libomptarget starts OpenMP in a constructor, before our own
  if (preloaded && other_tool() != nullptr) {
    if (ompt_start_tool_result_t* theirs = start_other_tool(omp_version, runtime_version)) {
      report_other_tool();
      return theirs;
    }
  }
  attach();
  ompdm::spool::FileHeader& draft = recorder.draft;
  draft.omp_version = omp_version;
  if (draft.attached_by != ompdm::spool::kAttachedByCuda) {
    draft.attached_by = preloaded ? 1 : 0;
  }
  report_displaced_tools();
  strncpy(draft.runtime, runtime_version != nullptr ? runtime_version : "",
          sizeof(draft.runtime) - 1);
  return &result;
}

/// Entry point of libraries that CUDA loads with CUDA_INJECTION64_PATH, called within cuInit (CUPTI
/// documentation, "Usage"). Where no OpenMP offload runtime is loaded there will be activities and
/// no directives.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  using namespace ompdm::record;
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  if (!attached) {
    attach();
    watch_process();
    wiped_on_fork.phase.store(Phase::kArmed);
  } else if (offload_runtime_is_loaded()) {
    return 1;  // OMPT tells of the devices, and CUPTI is started with the first
  }
  recorder.draft.attached_by = ompdm::spool::kAttachedByCuda;
  cupti_injected();
  return 1;
}
