// Entry points of the offload runtime, for code that is read and never run.

// NOLINTBEGIN(bugprone-reserved-identifier): these are the runtime's names.
extern "C" __attribute__((visibility("default"))) void __tgt_target_kernel() {}
extern "C" __attribute__((visibility("default"))) void __tgt_target_data_update_mapper() {}
// NOLINTEND(bugprone-reserved-identifier)
