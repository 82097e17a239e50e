// Nothing: the program whose headers the others share.
int main() {}
