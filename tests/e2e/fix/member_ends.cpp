// What the end of a member runs changes the data, by a pointer that is kept elsewhere.
#include <cstdio>
#include <vector>

static double* kept;

struct Finish {
  int at = 0;
  ~Finish() {
    if (at > 0) kept[at] = 0;
  }
};

struct Pass {
  std::vector<double> sums;
  Finish finish;
};

int main(int count, char** words) {
  const int n = 100000;
  std::vector<double> all(n);
  double* u = all.data();
  kept = u;
  for (int t = 0; t < 20; ++t) {
    Pass pass;  // @here
    pass.finish.at = count > 1 ? t : 0;
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
  std::printf("%.1f %d\n", u[n / 2] + u[7], words == nullptr);
}
