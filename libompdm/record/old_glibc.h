// Included before every source of libompdm.so: makes it link against symbol versions that
// glibc 2.28 has, whatever glibc it is built with.
//
// glibc 2.34 moved libpthread and libdl into libc under new symbol versions; the old versions still
// exist and are the same code. glibc 2.38 renamed the functions that parse numbers. Symbols that
// are not called cost nothing, so some are listed in advance.
#pragma once

#if defined(__linux__) && defined(__x86_64__)

#define OMPDM_OLD_VERSION(function) __asm__(".symver " #function "," #function "@GLIBC_2.2.5");
#define OMPDM_OLD_NAME(function) \
  __asm__(".symver __isoc23_" #function "," #function "@GLIBC_2.2.5");

OMPDM_OLD_VERSION(dladdr)
OMPDM_OLD_VERSION(dlclose)
OMPDM_OLD_VERSION(dlerror)
OMPDM_OLD_VERSION(dlopen)
OMPDM_OLD_VERSION(dlsym)
OMPDM_OLD_VERSION(pthread_create)
OMPDM_OLD_VERSION(pthread_detach)
OMPDM_OLD_VERSION(pthread_getspecific)
OMPDM_OLD_VERSION(pthread_join)
OMPDM_OLD_VERSION(pthread_key_create)
OMPDM_OLD_VERSION(pthread_key_delete)
OMPDM_OLD_VERSION(pthread_kill)
OMPDM_OLD_VERSION(pthread_mutex_timedlock)
OMPDM_OLD_VERSION(pthread_mutex_trylock)
OMPDM_OLD_VERSION(pthread_once)
OMPDM_OLD_VERSION(pthread_setspecific)
OMPDM_OLD_VERSION(pthread_sigmask)

OMPDM_OLD_NAME(strtol)
OMPDM_OLD_NAME(strtoll)
OMPDM_OLD_NAME(strtoul)
OMPDM_OLD_NAME(strtoull)

#undef OMPDM_OLD_VERSION
#undef OMPDM_OLD_NAME

#endif
