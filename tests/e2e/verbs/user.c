// Its offload code is in a library that it is linked to.
int part(void);

int main(void) { return part(); }
