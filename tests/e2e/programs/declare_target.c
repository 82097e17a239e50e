// Globals that live on the device are copied by update alone. One that is only linked is mapped as
// needed, and the runtime points its reference there.
//= total: HtoD 3 8804, DtoH 2 8400, alloc 1 8000, delete 1 8000, kernel 2, internal 1 8
//= target update@send x1: HtoD 2 804
//= target@work x1: kernel 1
//= target update@part x1: DtoH 1 400
//= target@linked x1: HtoD 1 8000, DtoH 1 8000, alloc 1, kernel 1
//= table: HtoD 1 800, DtoH 1 400
//= level: HtoD 1 4
//= big: HtoD 1 8000, DtoH 1 8000
#pragma omp declare target
double table[100];
int level;
#pragma omp end declare target

double big[1000];
#pragma omp declare target link(big)

int main(void) {
  table[99] = 1.0;
  level = 2;
#pragma omp target update to(table, level)  // @send
#pragma omp target                          // @work
  table[99] += level;
#pragma omp target update from(table[50 : 50])  // @part
#pragma omp target map(tofrom : big)            // @linked
  big[999] = 5.0;
  return table[99] != 3.0 || big[999] != 5.0;
}
