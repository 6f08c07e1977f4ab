// Stands in for the functions of the C library that wait for the disk: counts, holds and fails them.
#define _GNU_SOURCE
#include "CDiskCalls.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_ulong syncs, folderSyncs, fileSyncs, filesAtLastSync, badCloses;
static atomic_int failing;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int held;
static unsigned long waiting;

unsigned long syncs_so_far(void) { return atomic_load(&syncs); }
unsigned long folder_syncs_so_far(void) { return atomic_load(&folderSyncs); }
unsigned long file_syncs_so_far(void) { return atomic_load(&fileSyncs); }
unsigned long file_syncs_before_last_sync(void) { return atomic_load(&filesAtLastSync); }
unsigned long wrong_closes(void) { return atomic_load(&badCloses); }
void fsync_fail(int fail) { atomic_store(&failing, fail); }

void syncs_hold(int hold) {
    pthread_mutex_lock(&gate);
    held = hold;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
}

unsigned long syncs_waiting(void) {
    pthread_mutex_lock(&gate);
    unsigned long count = waiting;
    pthread_mutex_unlock(&gate);
    return count;
}

// A sanitizer stands in for the same functions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int disk_calls_are_counted(void) { return 1; }

// Only the logs of databases count: it is their sync that a commit waits for.
static int is_log(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 4 && memcmp(path + length - 4, "-wal", 4) == 0;
}

static void count_other(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    if (S_ISDIR(status.st_mode)) atomic_fetch_add(&folderSyncs, 1);
    if (S_ISREG(status.st_mode)) atomic_fetch_add(&fileSyncs, 1);
}

static void count_log(void) {
    atomic_store(&filesAtLastSync, atomic_load(&fileSyncs));
    atomic_fetch_add(&syncs, 1);
}

static void pass_gate(void) {
    pthread_mutex_lock(&gate);
    waiting++;
    while (held) pthread_cond_wait(&opened, &gate);
    waiting--;
    pthread_mutex_unlock(&gate);
}

// Weak, since the bundle of all tests holds another program's calls as well; in a program of its own these take the C library's place.
__attribute__((weak)) int fsync(int descriptor) {
    if (atomic_load(&failing)) {
        errno = EIO;
        return -1;
    }
    int counts = is_log(descriptor);
    if (counts) pass_gate();
    int result = (int)syscall(SYS_fsync, descriptor);
    if (counts) count_log();
    else count_other(descriptor);
    return result;
}

__attribute__((weak)) int fdatasync(int descriptor) {
    int counts = is_log(descriptor);
    if (counts) pass_gate();
    int result = (int)syscall(SYS_fdatasync, descriptor);
    if (counts) count_log();
    return result;
}

__attribute__((weak)) int close(int descriptor) {
    int result = (int)syscall(SYS_close, descriptor);
    if (result < 0 && errno == EBADF) atomic_fetch_add(&badCloses, 1);
    return result;
}

#else

int disk_calls_are_counted(void) { return 0; }

#endif
