// A library that has nothing to do with offloading.

extern "C" int plugin_value() { return 42; }
