// Objects of a class template whose array is mapped by each member function, and a struct of two
// arrays. `members PASSES`: as a beginner writes it; with `advised` after it, as the report's
// advice has it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

template <class T>
class Grid {
 public:
  explicit Grid(int n) : values_(n), d(values_.data()), n(n) {
    for (int i = 0; i < n; ++i) d[i] = T(i % 10);
  }
  void smooth(T c) {
#pragma omp target teams distribute parallel for map(tofrom : d[0 : n])
    for (int i = 0; i < n; ++i) d[i] = d[i] * c;
  }
  void enter() {
#pragma omp target enter data map(to : this[0 : 1], this->d[0 : this->n])
  }
  void leave() {
#pragma omp target exit data map(from : this->d[0 : this->n]) map(release : this[0 : 1])
  }
  [[nodiscard]] double sum() const {
    double total = 0;
    for (const T value : values_) total += double(value);
    return total;
  }

 private:
  std::vector<T> values_;
  T* d;
  int n;
};

struct Pair {
  double* p;
  double* q;
};

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  Grid<double> a(30000);
  Grid<double> b(20000);
  Grid<float> f(10000);
  if (advised) {
    a.enter();
    b.enter();
    f.enter();
  }
  for (int pass = 0; pass < passes; ++pass) {
    a.smooth(0.99);
    b.smooth(1.01);
    f.smooth(0.5F);
  }
  if (advised) {
    a.leave();
    b.leave();
    f.leave();
  }
  std::vector<double> first(20000, 1.0);
  std::vector<double> second(20000, 2.0);
  Pair s = {first.data(), second.data()};
  const int n = 20000;
  if (advised) {
#pragma omp target enter data map(to : s, s.p[0 : n], s.q[0 : n])
  }
  for (int pass = 0; pass < passes; ++pass) {
#pragma omp target teams distribute parallel for map(tofrom : s.p[0 : n]) map(to : s.q[0 : n])
    for (int i = 0; i < n; ++i) s.p[i] += s.q[i];
  }
  if (advised) {
#pragma omp target exit data map(from : s.p[0 : n]) map(release : s.q[0 : n], s)
  }
  double sum = 0;
  for (const double value : first) sum += value;
  std::printf("%.9f\n", a.sum() + b.sum() + f.sum() + sum);
}
