/*
 * Loaded into a process before the C library (LD_PRELOAD), on Linux: each fsync and fdatasync takes SLOW_DISK_MS
 * milliseconds more. If SLOW_DISK_LOG names a file, a line in it says when each begins, and another when it has ended.
 * slow-disk.ts compiles this file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int flush(int descriptor);

static void note(const char *what, int descriptor) {
  const char *path = getenv("SLOW_DISK_LOG");
  if (path == NULL) return;
  char link[64], file[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, file, sizeof file - 1);
  file[length < 0 ? 0 : length] = 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double ms = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
  int size = snprintf(line, sizeof line, "%d %.3f %s %s\n", (int)getpid(), ms, what, file);
  int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  /* Without the line, the test would fail without a reason. */
  if (log < 0 || write(log, line, size) != size) abort();
  close(log);
}

static int later(const char *name, int descriptor) {
  const char *delay = getenv("SLOW_DISK_MS");
  long ms = delay == NULL ? 0 : atol(delay);
  struct timespec more = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  note("begin", descriptor);
  while (nanosleep(&more, &more) != 0 && errno == EINTR);
  int result = ((flush *)dlsym(RTLD_NEXT, name))(descriptor);
  int error = errno;
  /* A failed fsync has flushed nothing. */
  if (result == 0) note("end", descriptor);
  errno = error;
  return result;
}

int fsync(int descriptor) { return later("fsync", descriptor); }
int fdatasync(int descriptor) { return later("fdatasync", descriptor); }
