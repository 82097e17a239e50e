// The part of OMPT that the recorder uses, from OpenMP 5.2 (chapter 19) with the additions of 6.0.
// Values and layouts are those of every runtime's omp-tools.h, so the recorder builds without a
// compiler's include folder.
#pragma once

#include <cstddef>
#include <cstdint>

/// For callbacks: code written by hand may call the runtime on a stack that is not aligned.
#define OMPDM_ON_ANY_STACK __attribute__((force_align_arg_pointer))

extern "C" {

union ompt_data_t {
  std::uint64_t value;
  void* ptr;
};
using ompt_id_t = std::uint64_t;
using ompt_interface_fn_t = void (*)();
using ompt_function_lookup_t = ompt_interface_fn_t (*)(const char* name);
using ompt_callback_t = void (*)();
struct ompt_device_t;

/// 19.4.4.x ompt_callbacks_t, of which only these are registered.
enum ompt_callbacks_t : int {
  ompt_callback_task_create = 5,
  ompt_callback_device_initialize = 12,
  ompt_callback_device_finalize = 13,
  ompt_callback_device_load = 14,
  ompt_callback_target_emi = 33,
  ompt_callback_target_data_op_emi = 34,
  ompt_callback_target_submit_emi = 35,
};

/// 19.4.4.18 ompt_task_flag_t: the task runs a target construct.
inline constexpr int ompt_task_target = 0x8;

/// 19.4.4.28. LLVM sets enter_frame to the frame of its own function that the program called.
struct ompt_frame_t {
  ompt_data_t exit_frame;
  ompt_data_t enter_frame;
  int exit_frame_flags;
  int enter_frame_flags;
};

enum ompt_scope_endpoint_t : int {
  ompt_scope_begin = 1,
  ompt_scope_end = 2,
  ompt_scope_beginend = 3,
};

/// 19.4.4.20; the nowait forms are these plus 8.
enum ompt_target_t : int {
  ompt_target = 1,
  ompt_target_enter_data = 2,
  ompt_target_exit_data = 3,
  ompt_target_update = 4,
};

/// 19.4.4.14; OpenMP 6.0 (32.2.1) has the last three in place of the two transfers. The
/// asynchronous forms are these plus 16.
enum ompt_target_data_op_t : int {
  ompt_target_data_alloc = 1,
  ompt_target_data_transfer_to_device = 2,
  ompt_target_data_transfer_from_device = 3,
  ompt_target_data_delete = 4,
  ompt_target_data_associate = 5,
  ompt_target_data_disassociate = 6,
  ompt_target_data_transfer = 7,
  ompt_target_data_memset = 8,
  ompt_target_data_transfer_rect = 9,
};

/// An operation without its asynchronous form; what no specification knows is returned as it is.
constexpr ompt_target_data_op_t synchronous_form(ompt_target_data_op_t optype) noexcept {
  constexpr int kAsync = 16;
  const bool is_async = optype > kAsync && optype <= kAsync + ompt_target_data_transfer_rect;
  return is_async ? static_cast<ompt_target_data_op_t>(optype - kAsync) : optype;
}

/// The number that OpenMP gives the host besides omp_get_num_devices() (omp_initial_device, 5.2
/// section 18.1); LLVM tells it so from version 23 on.
inline constexpr int kInitialDevice = -1;

/// 19.6.15: 0 where there is no such task.
using ompt_get_task_info_t = int (*)(int ancestor_level, int* flags, ompt_data_t** task_data,
                                     void** task_frame, ompt_data_t** parallel_data,
                                     int* thread_num);
using ompt_set_callback_t = int (*)(ompt_callbacks_t event, ompt_callback_t callback);
using ompt_initialize_t = int (*)(ompt_function_lookup_t lookup, int initial_device_num,
                                  ompt_data_t* tool_data);
using ompt_finalize_t = void (*)(ompt_data_t* tool_data);
struct ompt_start_tool_result_t {
  ompt_initialize_t initialize;
  ompt_finalize_t finalize;
  ompt_data_t tool_data;
};

}  // extern "C"
