// A library of regions is loaded, unloaded and loaded again; the devices with it, where nothing
// else holds them. The program itself knows nothing of OpenMP.
//= total: HtoD 4 32000, DtoH 4 32000, alloc 4 32000, delete 4 32000, kernel 4
//= target@scale x4: HtoD 4 32000, DtoH 4 32000, alloc 4, kernel 4
//= a: HtoD 4 32000, DtoH 4 32000
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int use(const char* path, double* data) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  void (*scale)(double*, int);
  *(void**)&scale = dlsym(library, "scale");
  scale(data, 1000);
  scale(data, 1000);
  dlclose(library);
  return 1;
}

int main(int argc, char** argv) {
  double* data = calloc(1000, sizeof *data);
  data[999] = 1.0;
  if (argc != 2 || !use(argv[1], data) || !use(argv[1], data)) return 2;
  const int wrong = data[999] != 16.0;
  free(data);
  return wrong;
}
