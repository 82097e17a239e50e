// What kernels compute on the stand-in, if that is asked for: what the program's host would compute
// where their regions fall back to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace standin {

/// The function that clang makes of a target region for the host, without optimization: its
/// kernel's parameters but for the first, each in a register's width.
using HostKernel = void(std::uint64_t, ...);

/// The program's function of the kernel's name; null where STANDIN_KERNELS is not "host".
HostKernel* host_kernel(const std::string& name);

/// A call with what cuLaunchKernel's `extra` now says that the parameters are.
std::function<void()> host_call(HostKernel* function, void* const* extra);

}  // namespace standin
