// Host threads offload at the same time, each its own array.
//= total: HtoD 80 640000, DtoH 80 640000, alloc 80 640000, delete 80 640000, kernel 80
//= target@double x80: HtoD 80 640000, DtoH 80 640000, alloc 80, kernel 80
//= a: HtoD 80 640000, DtoH 80 640000
#include <thread>
#include <vector>

constexpr int kThreads = 8;
constexpr int kSize = 1000;

void work(double* a) {
  for (int pass = 0; pass < 10; ++pass) {
#pragma omp target map(tofrom : a[0 : kSize])  // @double
    for (int i = 0; i < kSize; ++i) a[i] += 1.0;
  }
}

int main() {
  std::vector<std::vector<double>> arrays(kThreads, std::vector<double>(kSize));
  std::vector<std::thread> threads;
  for (auto& array : arrays) threads.emplace_back(work, array.data());
  for (auto& thread : threads) thread.join();
  for (const auto& array : arrays) {
    if (array[kSize - 1] != 10.0) return 1;
  }
  return 0;
}
