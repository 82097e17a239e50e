// Handles its own faults, and is right otherwise.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;
static void on_fault(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

int main(void) {
  int sum = 0;
  int faults = 0;
  int a[100];
  for (int i = 0; i < 100; ++i) a[i] = i;
#pragma omp target enter data map(to : a)
  signal(SIGSEGV, on_fault);
  for (int step = 0; step < 3; ++step) {
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 100; ++i) sum += a[i];
    if (sigsetjmp(back, 1) == 0) {
      *(volatile int*)8 = 1;
    } else {
      ++faults;
    }
  }
#pragma omp target exit data map(delete : a)
  printf("%d %d\n", sum, faults);
  return sum == 3 * 4950 && faults == 3 ? 0 : 1;
}
