// Stands in for the functions of the C library that give memory, and counts the calls.
#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_ulong calls;

unsigned long allocations_so_far(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

// A sanitizer stands in for the same functions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)

// glibc's own, under the names that it keeps for programs like this one.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void note(void) { atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); }

int allocations_are_counted(void) { return 1; }

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    void *found = __libc_memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}

#else

int allocations_are_counted(void) { return 0; }

#endif
