// glibc's clone(2) by the name that nobody interposes: ThreadSanitizer's would have a process that
// borrows our memory touch the state of the thread it borrows it from.
#pragma once

/// As clone(2).
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
