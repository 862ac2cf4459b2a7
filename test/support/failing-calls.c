// Preloaded into a program (LD_PRELOAD): while the file FAILING_READS exists, Node's reads of files below FAILING_FOLDER fail with EIO, as
// on a broken disk; while FAILING_WRITES exists, its writes. Other programs that inherit it, such as the browser, are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_node(void) {
  static int known = -1;
  if (known == -1) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *name = strrchr(path, '/');
    known = name != NULL && strcmp(name, "/node") == 0;
  }
  return known;
}

static int fails(int fd, const char *variable) {
  const char *folder = getenv("FAILING_FOLDER");
  const char *switch_file = getenv(variable);
  if (folder == NULL || switch_file == NULL || !is_node()) return 0;
  int before = errno;
  int result = 0;
  if (access(switch_file, F_OK) == 0) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    result = strncmp(path, folder, strlen(folder)) == 0;
  }
  errno = result ? EIO : before;
  return result;
}

#define WRAP(variable, name, parameters, arguments)                                 \
  ssize_t name parameters {                                                         \
    static ssize_t(*real) parameters = NULL;                                        \
    if (real == NULL) real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);        \
    return fails(fd, variable) ? -1 : real arguments;                               \
  }

WRAP("FAILING_READS", read, (int fd, void *buffer, size_t size), (fd, buffer, size))
WRAP("FAILING_READS", pread, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at))
WRAP("FAILING_READS", pread64, (int fd, void *buffer, size_t size, off64_t at), (fd, buffer, size, at))
WRAP("FAILING_READS", readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP("FAILING_READS", preadv, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
WRAP("FAILING_READS", preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
WRAP("FAILING_WRITES", write, (int fd, const void *buffer, size_t size), (fd, buffer, size))
WRAP("FAILING_WRITES", pwrite, (int fd, const void *buffer, size_t size, off_t at), (fd, buffer, size, at))
WRAP("FAILING_WRITES", pwrite64, (int fd, const void *buffer, size_t size, off64_t at), (fd, buffer, size, at))
WRAP("FAILING_WRITES", writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP("FAILING_WRITES", pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
WRAP("FAILING_WRITES", pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
