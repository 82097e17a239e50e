// A rank of a job: ranks [die RANK | sleep]. Rank R sends (R + 1) * 80000 bytes in each of five
// iterations. The rank that is to die kills itself when its work is done and the others have had
// time to end.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { kPasses = 5, kDoubles = 10000 };

static int rank_of_launcher(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (rank == NULL) rank = getenv("SLURM_PROCID");
  return rank == NULL ? 0 : atoi(rank);
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  const int rank = rank_of_launcher();
  const int n = (rank + 1) * kDoubles;
  double* a = malloc(n * sizeof(double));
  double sum = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int i = 0; i < n; ++i) a[i] = pass + i;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
#ifdef WITH_MPI
  double all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (all < sum) return 1;
  MPI_Finalize();
#endif
  if (argc == 3 && strcmp(argv[1], "die") == 0 && atoi(argv[2]) == rank) {
    sleep(2);
    raise(SIGKILL);
  }
  if (argc == 2 && strcmp(argv[1], "sleep") == 0) sleep(60);
  free(a);
  return sum > 0 ? 0 : 1;
}
