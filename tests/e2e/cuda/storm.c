// Many small regions, then an end: of its own, by a signal, or in a child.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1000;
  const char* end = argc > 2 ? argv[2] : "";
  double x = 1;
#pragma omp target data map(to : x)
  for (int i = 0; i < count; i++) {
#pragma omp target update to(x)
#pragma omp target map(to : x)
    {
      x += 1;
    }
  }
  if (strcmp(end, "kill") == 0) raise(SIGKILL);
  if (strcmp(end, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  }
  return 0;
}
