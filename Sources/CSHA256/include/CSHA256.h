#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
typedef struct {
    uint32_t state[8];
    uint64_t length;
    uint8_t rest[64];
} backstitch_sha256;

/// Begins.
void backstitch_sha256_begin(backstitch_sha256 *hash);

/// Takes the next `count` bytes.
void backstitch_sha256_update(backstitch_sha256 *hash, const void *bytes, size_t count);

/// Ends, and writes the 32 bytes of the digest.
void backstitch_sha256_finish(backstitch_sha256 *hash, uint8_t *digest);

/// Whether this machine's processor has instructions for it that are used here.
int backstitch_sha256_is_fast(void);

/// Has the processor's instructions used or not, for tests.
void backstitch_sha256_set_fast(int is_fast);

#endif
