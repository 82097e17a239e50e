// Included before every source of libompdm.so: makes it link against symbol versions that
// glibc 2.28 has, whatever glibc it is built with.
//
// glibc 2.34 moved libpthread and libdl into libc under new symbol versions; the old versions still
// exist and are the same code.
#pragma once

#if defined(__linux__) && defined(__x86_64__)

#define OMPDM_OLD_VERSION(function) __asm__(".symver " #function "," #function "@GLIBC_2.2.5");

OMPDM_OLD_VERSION(dladdr)
OMPDM_OLD_VERSION(dlclose)
OMPDM_OLD_VERSION(dlopen)
OMPDM_OLD_VERSION(dlsym)
OMPDM_OLD_VERSION(pthread_key_create)
OMPDM_OLD_VERSION(pthread_mutex_timedlock)
OMPDM_OLD_VERSION(pthread_setspecific)
OMPDM_OLD_VERSION(pthread_sigmask)

#undef OMPDM_OLD_VERSION

#endif
