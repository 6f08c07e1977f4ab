#include "CSHA256.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Takes whole blocks of 64 bytes, on any processor (FIPS 180-4, 6.2.2).
static void take_plain(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    for (; blocks > 0; blocks -= 1, bytes += 64) {
        uint32_t w[64];
        for (int t = 0; t < 16; t += 1) w[t] = big_endian(bytes + 4 * t);
        for (int t = 16; t < 64; t += 1) {
            uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
            uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int t = 0; t < 64; t += 1) {
            uint32_t s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
            uint32_t one = h + s1 + ((e & f) ^ (~e & g)) + constants[t] + w[t];
            uint32_t s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
            uint32_t two = s0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if defined(__x86_64__)

/// The same by the instructions of x86 (Intel, SHA extensions, 2013), which take four rounds at a time and want the state as ABEF and CDGH.
__attribute__((target("sha,sse4.1,ssse3")))
static void take_fast(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; blocks > 0; blocks -= 1, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // The last sixteen words, four in each.
        __m128i w[4];
        for (int group = 0; group < 16; group += 1) {
            __m128i *words = &w[group & 3];
            if (group < 4) {
                *words = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * group)), order);
            } else {
                __m128i before = w[(group + 3) & 3];
                __m128i sum = _mm_add_epi32(
                    _mm_sha256msg1_epu32(*words, w[(group + 1) & 3]), _mm_alignr_epi8(before, w[(group + 2) & 3], 4));
                *words = _mm_sha256msg2_epu32(sum, before);
            }
            __m128i sum = _mm_add_epi32(*words, _mm_loadu_si128((const __m128i *)(constants + 4 * group)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int has_instructions(void) {
    unsigned int a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 9) || !(c & 1u << 19)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29) != 0;
}

#else

static void take_fast(uint32_t state[8], const uint8_t *bytes, size_t blocks) { take_plain(state, bytes, blocks); }

static int has_instructions(void) { return 0; }

#endif

// 0 unknown, 1 no, 2 yes. Threads that find out at once find the same.
static int speed;

int backstitch_sha256_is_fast(void) {
    int known = __atomic_load_n(&speed, __ATOMIC_RELAXED);
    if (known == 0) {
        known = 1 + has_instructions();
        __atomic_store_n(&speed, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}

void backstitch_sha256_set_fast(int is_fast) {
    __atomic_store_n(&speed, is_fast && has_instructions() ? 2 : 1, __ATOMIC_RELAXED);
}

static void take(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    if (backstitch_sha256_is_fast()) {
        take_fast(state, bytes, blocks);
    } else {
        take_plain(state, bytes, blocks);
    }
}

void backstitch_sha256_begin(backstitch_sha256 *hash) {
    // The first 32 bits of the fractional parts of the square roots of the first eight primes (FIPS 180-4, 5.3.3).
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(hash->state, start, sizeof start);
    hash->length = 0;
}

void backstitch_sha256_update(backstitch_sha256 *hash, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    size_t waiting = hash->length % 64;
    hash->length += count;
    if (waiting > 0) {
        size_t part = count < 64 - waiting ? count : 64 - waiting;
        memcpy(hash->rest + waiting, next, part);
        if (waiting + part < 64) return;
        take(hash->state, hash->rest, 1);
        next += part, count -= part;
    }
    take(hash->state, next, count / 64);
    memcpy(hash->rest, next + count / 64 * 64, count % 64);
}

void backstitch_sha256_finish(backstitch_sha256 *hash, uint8_t *digest) {
    uint64_t bits = hash->length * 8;
    // One bit, zeros, and the length, up to the end of a block.
    uint8_t end[72] = {0x80};
    size_t waiting = hash->length % 64;
    size_t zeros = (waiting < 56 ? 56 : 120) - waiting;
    for (int index = 0; index < 8; index += 1) end[zeros + index] = (uint8_t)(bits >> (56 - 8 * index));
    backstitch_sha256_update(hash, end, zeros + 8);
    for (int index = 0; index < 32; index += 1) digest[index] = (uint8_t)(hash->state[index / 4] >> (24 - 8 * (index % 4)));
}
