#define SIZE 100000
#define PASSES 20
