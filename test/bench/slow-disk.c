/*
 * Loaded into a process before the C library (LD_PRELOAD), on Linux: each fsync and fdatasync takes 5 ms more.
 * See disk.ts, which compiles it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

typedef int flush(int descriptor);

static int after_5_ms(const char *name, int descriptor) {
  static const struct timespec more = {.tv_nsec = 5000000};
  nanosleep(&more, 0);
  return ((flush *)dlsym(RTLD_NEXT, name))(descriptor);
}

int fsync(int descriptor) { return after_5_ms("fsync", descriptor); }
int fdatasync(int descriptor) { return after_5_ms("fdatasync", descriptor); }
