// Stands in for the functions of the C library that change files, and tells the disk of each before it is done.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

power_cut_disk power_cut_told;
_Thread_local int power_cut_is_inside;
static char folder[4096];
static size_t folder_length;

int power_cut_keeps(const char *path) {
    if (folder_length == 0 || path == NULL || strncmp(path, folder, folder_length) != 0) return 0;
    return path[folder_length] == 0 || path[folder_length] == '/';
}

void power_cut_pause(int by) { power_cut_is_inside += by; }

void power_cut_begin(const char *path, const power_cut_disk *disk) {
    power_cut_told = *disk;
    strncpy(folder, path, sizeof folder - 1);
    folder_length = strlen(folder);
}

// A sanitizer stands in for the same functions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

int power_cut_is_possible(void) { return 1; }

enum { most_files = 1 << 16 };
static atomic_int handles[most_files];

static int handle_of(int file) {
    if (power_cut_is_inside || file < 0 || file >= most_files) return 0;
    return atomic_load_explicit(&handles[file], memory_order_relaxed);
}

// The C library's own function.
#define REAL(name, ...) \
    static __typeof__(name) *real; \
    if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int refused(int error) {
    if (error == 0) return 0;
    errno = error;
    return 1;
}

static int open_kept(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    if (power_cut_is_inside || !power_cut_keeps(path)) return real(path, flags, mode);
    if (flags & O_CREAT && flags & O_EXCL && access(path, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    int handle = power_cut_told.opened(path, flags & O_CREAT, flags & O_TRUNC);
    if (handle < 0) {
        errno = -handle;
        return -1;
    }
    int file = real(path, flags, mode);
    if (file >= 0 && file < most_files) atomic_store(&handles[file], handle);
    return file;
}

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_kept(real, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_kept(real, path, flags, mode);
}

int close(int file) {
    REAL(close);
    if (!power_cut_is_inside && file >= 0 && file < most_files) atomic_store(&handles[file], 0);
    return real(file);
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    int handle = handle_of(file);
    if (handle > 0 && refused(power_cut_told.wrote(handle, bytes, count, lseek(file, 0, SEEK_CUR)))) return -1;
    return real(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    int handle = handle_of(file);
    if (handle > 0 && refused(power_cut_told.wrote(handle, bytes, count, offset))) return -1;
    return real(file, bytes, count, offset);
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    int handle = handle_of(file);
    if (handle > 0 && refused(power_cut_told.resized(handle, size))) return -1;
    return real(file, size);
}

// The disk in the program is what counts, so nobody waits for the machine's own.
int fsync(int file) {
    REAL(fsync);
    int handle = handle_of(file);
    if (handle > 0) return refused(power_cut_told.synced(handle)) ? -1 : 0;
    return power_cut_is_inside ? 0 : real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    int handle = handle_of(file);
    if (handle > 0) return refused(power_cut_told.synced(handle)) ? -1 : 0;
    return power_cut_is_inside ? 0 : real(file);
}

int rename(const char *path, const char *other) {
    REAL(rename);
    int is_kept = !power_cut_is_inside && power_cut_keeps(path) && access(path, F_OK) == 0;
    if (is_kept && refused(power_cut_told.renamed(path, other))) return -1;
    return real(path, other);
}

int unlink(const char *path) {
    REAL(unlink);
    int is_kept = !power_cut_is_inside && power_cut_keeps(path) && access(path, F_OK) == 0;
    if (is_kept && refused(power_cut_told.removed(path))) return -1;
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    int is_kept = !power_cut_is_inside && power_cut_keeps(path) && access(path, F_OK) != 0;
    if (is_kept && refused(power_cut_told.made_folder(path))) return -1;
    return real(path, mode);
}

#else

int power_cut_is_possible(void) { return 0; }

#endif
