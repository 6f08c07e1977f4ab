// The yardstick: code that a C programmer would write with SQLite and libpq, as their manuals show it.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct peer_sqlite peer_sqlite;
typedef struct peer_postgres peer_postgres;

// Every function that can fail gives a negative number or NULL then, and the reason here.
const char *peer_error(void);

// Opens a database in WAL mode with synchronous = NORMAL, the settings that Backstitch's store has by default.
peer_sqlite *peer_sqlite_open(const char *path);
void peer_sqlite_close(peer_sqlite *database);
int64_t peer_sqlite_run(peer_sqlite *database, const char *sql);
// Reads all rows of integers into an array; adds them up.
int64_t peer_sqlite_fetch_integers(peer_sqlite *database, const char *sql, int columns, int64_t *sum);
// Reads all rows of any columns into arrays, texts copied; adds integers and lengths up.
int64_t peer_sqlite_fetch(peer_sqlite *database, const char *sql, int64_t *sum);
// Reads the row of each key of 16 bytes into an array.
int64_t peer_sqlite_look_up(peer_sqlite *database, const char *sql, const void *keys, int64_t count, int64_t *sum);
// Inserts rows of integers in one transaction; with keys (16 bytes each) and the version 1 before them, if there are keys.
int64_t peer_sqlite_insert_integers(
    peer_sqlite *database, const char *sql, const void *keys, const int64_t *cells, int64_t rows, int columns);

peer_postgres *peer_postgres_open(const char *address);
void peer_postgres_close(peer_postgres *connection);
int64_t peer_postgres_run(peer_postgres *connection, const char *sql);
// Reads all rows of bigint by the binary format into an array; adds them up.
int64_t peer_postgres_fetch_integers(peer_postgres *connection, const char *sql, int columns, int64_t *sum);
// Inserts rows of a key, the version 1 and bigint columns by COPY in the binary format, in one transaction.
int64_t peer_postgres_copy(
    peer_postgres *connection, const char *sql, const void *keys, const int64_t *cells, int64_t rows, int columns);
