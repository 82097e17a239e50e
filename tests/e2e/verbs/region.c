// One target region: what the verbs look at, built in many ways. With an argument it dies before.
#include <signal.h>

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) raise(SIGSEGV);
  int x = 1;
#pragma omp target map(tofrom : x)
  x = 2;
  return x - 2;
}
