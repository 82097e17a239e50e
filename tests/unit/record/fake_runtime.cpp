#include "record/fake_runtime.h"

#include <cstring>

#include "record/recorder.h"

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*);

namespace ompdm::test {
namespace {

int answer_to_all = 5;
ompt_start_tool_result_t* tool = nullptr;
ompt_callback_t callbacks[64];
thread_local ompt_data_t target_data;
thread_local ompt_id_t host_op_id;

int set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  callbacks[event] = answer_to_all == 5 ? callback : nullptr;
  return answer_to_all;
}

ompt_interface_fn_t lookup(const char* name) {
  return std::strcmp(name, "ompt_set_callback") == 0
             ? reinterpret_cast<ompt_interface_fn_t>(&set_callback)
             : nullptr;
}

template <class Function>
Function* callback(ompt_callbacks_t event) {
  return reinterpret_cast<Function*>(callbacks[event]);
}

}  // namespace

FakeRuntime::FakeRuntime(int answer) { answer_to_all = answer; }

void FakeRuntime::attach() {
  tool = ompt_start_tool(201611, "fake runtime 1.0");
  tool->initialize(lookup, 0, &tool->tool_data);
  for (int number = 0; number < 2; ++number) {
    device(number, "generic-64bit");
  }
}

void FakeRuntime::device(int number, const char* type) {
  using OnInitialize = void(int, const char*, ompt_device_t*, ompt_function_lookup_t, const char*);
  if (auto* initialize = callback<OnInitialize>(ompt_callback_device_initialize)) {
    initialize(number, type, nullptr, nullptr, nullptr);
  }
}

void FakeRuntime::finish() {
  record::recorder.exiting.store(true);
  tool->finalize(&tool->tool_data);
}

void FakeRuntime::pause() { tool->finalize(&tool->tool_data); }

void FakeRuntime::begin(int kind, int device, const void* codeptr) {
  target_data.value = 0;
  if (auto* target = callback<decltype(record::on_target)>(ompt_callback_target_emi)) {
    target(static_cast<ompt_target_t>(kind), ompt_scope_begin, device, nullptr, nullptr,
           &target_data, codeptr);
  }
}

void FakeRuntime::end(int kind, int device, const void* codeptr) {
  if (auto* target = callback<decltype(record::on_target)>(ompt_callback_target_emi)) {
    target(static_cast<ompt_target_t>(kind), ompt_scope_end, device, nullptr, nullptr, &target_data,
           codeptr);
  }
  target_data.value = 0;
}

void FakeRuntime::op_endpoint(ompt_scope_endpoint_t endpoint, int optype, const void* src,
                              int src_device, const void* dst, int dst_device, std::size_t bytes,
                              const void* codeptr) {
  if (auto* data_op = callback<decltype(record::on_data_op)>(ompt_callback_target_data_op_emi)) {
    data_op(endpoint, nullptr, &target_data, &host_op_id,
            static_cast<ompt_target_data_op_t>(optype), const_cast<void*>(src), src_device,
            const_cast<void*>(dst), dst_device, bytes, codeptr);
  }
}

void FakeRuntime::op(int optype, const void* src, int src_device, const void* dst, int dst_device,
                     std::size_t bytes, const void* codeptr) {
  op_endpoint(ompt_scope_begin, optype, src, src_device, dst, dst_device, bytes, codeptr);
  op_endpoint(ompt_scope_end, optype, src, src_device, dst, dst_device, bytes, codeptr);
}

void FakeRuntime::submit_begin(unsigned teams) {
  if (auto* on_submit = callback<decltype(record::on_submit)>(ompt_callback_target_submit_emi)) {
    on_submit(ompt_scope_begin, &target_data, &host_op_id, teams);
  }
}

void FakeRuntime::submit_end(unsigned teams) {
  if (auto* on_submit = callback<decltype(record::on_submit)>(ompt_callback_target_submit_emi)) {
    on_submit(ompt_scope_end, &target_data, &host_op_id, teams);
  }
}

void FakeRuntime::submit(unsigned teams) {
  submit_begin(teams);
  submit_end(teams);
}

}  // namespace ompdm::test
