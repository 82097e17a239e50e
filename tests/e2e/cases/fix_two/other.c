static double* kept;
static int passes;
void step(double* a, int n) { a[0] += n; }
void note(int k) { passes += k; }
