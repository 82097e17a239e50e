// CUDA without OpenMP: a copy from device 1 to device 0.
#include <stdint.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuMemAlloc_v2(uint64_t* address, size_t bytes);
int cuMemcpyPeerAsync(uint64_t to, void* to_context, uint64_t from, void* from_context,
                      size_t bytes, void* stream);

int main(void) {
  void *context[2], *stream;
  uint64_t memory[2];
  cuInit(0);
  for (int device = 0; device < 2; device++) {
    cuDevicePrimaryCtxRetain(&context[device], device);
    cuCtxSetCurrent(context[device]);
    cuMemAlloc_v2(&memory[device], 4096);
  }
  cuStreamCreate(&stream, 0);
  int failed = cuMemcpyPeerAsync(memory[0], context[0], memory[1], context[1], 4096, stream);
  cuStreamSynchronize(stream);
  return failed;
}
