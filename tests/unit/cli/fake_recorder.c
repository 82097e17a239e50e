// Plays the recorder for tests of the launcher: what it tells the session is named in FAKE_RECORDER
// ("trace", "nothing", "told"); without that it is as silent as in a program that never offloads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_lines(const char* path, const char* first, const char* second,
                        const char* third) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%s\n", first);
  if (second != NULL) fprintf(file, "%s\n%s\n", second, third);
  fclose(file);
}

__attribute__((destructor)) static void end(void) {
  const char* role = getenv("FAKE_RECORDER");
  const char* session = getenv("OMPDM_SESSION");
  const char* output = getenv("OMPDM_OUTPUT");
  if (role == NULL || session == NULL || output == NULL) return;
  char name[4096];
  if (strcmp(role, "trace") == 0) {
    snprintf(name, sizeof name, "%s/%d.0", session, (int)getpid());
    char spool[4200];
    snprintf(spool, sizeof spool, "%s.spool", output);
    write_lines(name, spool, output, "/bin/fake");
    write_lines(output, "{}", NULL, NULL);
  } else if (strcmp(role, "nothing") == 0) {
    snprintf(name, sizeof name, "%s/%d.0.none", session, (int)getpid());
    write_lines(name, "no target region was executed on a device", NULL, NULL);
  } else if (strcmp(role, "told") == 0) {
    snprintf(name, sizeof name, "%s/%d.0.told", session, (int)getpid());
    write_lines(name, "", NULL, NULL);
  }
}
