// Two libraries take the same place one after the other: each has its own files, lines, kernels and
// variables. Ends with 77 where the loader puts them elsewhere.
//= total: HtoD 9 64008, DtoH 4 32000, alloc 5 32008, delete 5 32008, kernel 5
//= target@home x1: HtoD 1 8, alloc 1, kernel 1
//= target@one x2: HtoD 2 16000, DtoH 2 16000, alloc 2, kernel 2
//= target@two x2: HtoD 2 16000, DtoH 2 16000, alloc 2, kernel 2
//= target update@stock_one x2: HtoD 2 16000
//= target update@stock_two x2: HtoD 2 16000
//= held: HtoD 1 8
//= apples: HtoD 2 16000, DtoH 2 16000
//= grapes: HtoD 2 16000, DtoH 2 16000
//= stock_of_apples: HtoD 2 16000
//= stock_of_grapes: HtoD 2 16000
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "tenant.h"

// Where the library lay; NULL if it did not do its work.
static const void* use(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  int (*run)(void);
  *(void**)&run = dlsym(library, "tenant");
  Dl_info place;
  if (dladdr(*(void**)&run, &place) == 0 || !run()) return NULL;
  dlclose(library);
  return place.dli_fbase;
}

int main(int argc, char** argv) {
  double held = 1.0;
#pragma omp target map(to : held)  // @home
  (void)held;
  const void* one = argc == 3 ? use(argv[1]) : NULL;
  const void* two = argc == 3 ? use(argv[2]) : NULL;
  if (one == NULL || two == NULL) return 1;
  return one == two ? 0 : 77;
}
