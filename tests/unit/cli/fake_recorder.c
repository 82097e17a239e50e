// Plays the recorder for tests of the launcher. FAKE_RECORDER names what it records in the session
// ("trace", "nothing", "told"). Without FAKE_RECORDER it writes nothing, as in a program that never
// offloads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// As the recorder does: each with a zero at its end, a line end behind them.
static void write_texts(const char* path, const char* first, const char* second,
                        const char* third) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  const char* texts[] = {first, second, third};
  for (int i = 0; i < 3 && texts[i] != NULL; ++i) fwrite(texts[i], strlen(texts[i]) + 1, 1, file);
  fputs("\n", file);
  fclose(file);
}

__attribute__((destructor)) static void end(void) {
  const char* role = getenv("FAKE_RECORDER");
  const char* session = getenv("OMPDM_SESSION");
  const char* wanted = getenv("OMPDM_OUTPUT");
  if (role == NULL || session == NULL || wanted == NULL) return;
  char output[4096];
  const size_t length = strlen(wanted);
  const int is_folder = length > 0 && wanted[length - 1] == '/';
  snprintf(output, sizeof output, "%s%s", wanted, is_folder ? "trace.json" : "");
  char name[4096];
  if (strcmp(role, "trace") == 0) {
    snprintf(name, sizeof name, "%s/%d.0", session, (int)getpid());
    char spool[4200];
    snprintf(spool, sizeof spool, "%s.spool", output);
    write_texts(name, spool, output, "/bin/fake");
    FILE* trace = fopen(output, "w");
    if (trace == NULL) return;
    fputs("{}\n", trace);
    fclose(trace);
  } else if (strcmp(role, "nothing") == 0) {
    snprintf(name, sizeof name, "%s/%d.0.none", session, (int)getpid());
    write_texts(name, "no target region was executed on a device", NULL, NULL);
  } else if (strcmp(role, "told") == 0) {
    snprintf(name, sizeof name, "%s/%d.0.told", session, (int)getpid());
    write_texts(name, "", NULL, NULL);
  }
}
