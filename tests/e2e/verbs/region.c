// One target region: what the verbs look at, built in many ways. It can die before, run it on the
// host (never), wait for the end of its input behind it, or fail.
#include <signal.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* deed = argc > 1 ? argv[1] : "";
  if (strcmp(deed, "die") == 0) raise(SIGSEGV);
  int x = 1;
#pragma omp target map(tofrom : x) if (strcmp(deed, "never") != 0)
  x = 2;
  while (strcmp(deed, "wait") == 0 && getchar() != EOF) {
  }
  return strcmp(deed, "fail") == 0 ? 5 : x - 2;
}
