// Ranks in a ring send their last values on by way of the host. Built with DIRECT they use
// addresses of device memory, which a host device shares with MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000, HALO = 200, STEPS = 10 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  double* u = malloc((N + HALO) * sizeof *u);
  for (int i = 0; i < N + HALO; ++i) u[i] = (i * 7 + rank * 3) % 13;
#pragma omp target enter data map(to : u[0 : N + HALO])
  for (int step = 0; step < STEPS; ++step) {
#pragma omp target teams distribute parallel for
    for (int i = HALO; i < N + HALO; ++i) u[i] = 0.5 * u[i] + 0.25 * u[i % HALO] + step;
#ifdef DIRECT
#pragma omp target data use_device_addr(u[N : HALO], u[0 : HALO])
#else
#pragma omp target update from(u[N : HALO])
#endif
    MPI_Sendrecv(&u[N], HALO, MPI_DOUBLE, right, 0, &u[0], HALO, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifndef DIRECT
#pragma omp target update to(u[0 : HALO])
#endif
  }
#pragma omp target exit data map(from : u[0 : N + HALO])
  double sum = 0, all = 0;
  for (int i = 0; i < N + HALO; ++i) sum += u[i];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", all);
  free(u);
  MPI_Finalize();
  return 0;
}
