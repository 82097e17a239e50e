// Included before every source of libompdm.so: what it asks of glibc is what 2.28 has, on whichever
// glibc it is linked.
//
// glibc 2.34 moved libpthread and libdl into libc and gave their functions new versions; the old
// ones are there still, and are the same code. 2.38 gave the functions that read numbers new names.
// A symbol that is not called costs nothing here, so what comes to be called later is named too.
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
