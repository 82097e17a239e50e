// As an interpreter does: opens the library that it is given, and calls it.
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return 1;
  return ((int (*)(void))dlsym(library, "part"))();
}
