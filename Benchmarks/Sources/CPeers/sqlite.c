#include "CPeers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char failure[512];

const char *peer_error(void) { return failure; }

void peer_fail(const char *text) { snprintf(failure, sizeof failure, "%s", text); }

static int64_t fail(sqlite3 *database) {
    peer_fail(sqlite3_errmsg(database));
    return -1;
}

peer_sqlite *peer_sqlite_open(const char *path) {
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)) {
        fail(database);
        sqlite3_close(database);
        return NULL;
    }
    sqlite3_exec(database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    sqlite3_exec(database, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    sqlite3_exec(database, "PRAGMA cache_size = -8192", NULL, NULL, NULL);
    return (peer_sqlite *)database;
}

void peer_sqlite_close(peer_sqlite *database) { sqlite3_close((sqlite3 *)database); }

int64_t peer_sqlite_run(peer_sqlite *peer, const char *sql) {
    sqlite3 *database = (sqlite3 *)peer;
    return sqlite3_exec(database, sql, NULL, NULL, NULL) ? fail(database) : 0;
}

int64_t peer_sqlite_fetch_integers(peer_sqlite *peer, const char *sql, int columns, int64_t *sum) {
    sqlite3 *database = (sqlite3 *)peer;
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return fail(database);
    int64_t count = 0, capacity = 1024, total = 0;
    int64_t *cells = malloc(capacity * columns * sizeof *cells);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) cells = realloc(cells, (capacity *= 2) * columns * sizeof *cells);
        int64_t *row = cells + count++ * columns;
        for (int column = 0; column < columns; column++) row[column] = sqlite3_column_int64(statement, column);
    }
    for (int64_t index = 0; index < count * columns; index++) total += cells[index];
    free(cells);
    sqlite3_finalize(statement);
    *sum = total;
    return code == SQLITE_DONE ? count : fail(database);
}

typedef union {
    int64_t integer;
    double number;
    struct { const char *start; int32_t length; } text;
} cell;

static int64_t read_row(sqlite3_stmt *statement, cell *row, int columns) {
    int64_t total = 0;
    for (int column = 0; column < columns; column++) {
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            row[column].integer = sqlite3_column_int64(statement, column);
            total += row[column].integer;
            break;
        case SQLITE_FLOAT:
            row[column].number = sqlite3_column_double(statement, column);
            total += (int64_t)row[column].number;
            break;
        case SQLITE_TEXT:
        case SQLITE_BLOB: {
            const void *bytes = sqlite3_column_blob(statement, column);
            int length = sqlite3_column_bytes(statement, column);
            char *copy = malloc(length + 1);
            memcpy(copy, bytes, length);
            row[column].text.start = copy;
            row[column].text.length = length;
            total += length;
            break;
        }
        default: row[column].text.start = NULL;
        }
    }
    return total;
}

int64_t peer_sqlite_fetch(peer_sqlite *peer, const char *sql, int64_t *sum) {
    sqlite3 *database = (sqlite3 *)peer;
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return fail(database);
    int columns = sqlite3_column_count(statement);
    int64_t count = 0, capacity = 1024, total = 0;
    cell *cells = malloc(capacity * columns * sizeof *cells);
    char *texts = malloc(columns);
    memset(texts, 0, columns);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) cells = realloc(cells, (capacity *= 2) * columns * sizeof *cells);
        if (count == 0) {
            for (int column = 0; column < columns; column++) {
                int type = sqlite3_column_type(statement, column);
                texts[column] = type == SQLITE_TEXT || type == SQLITE_BLOB;
            }
        }
        total += read_row(statement, cells + count++ * columns, columns);
    }
    for (int64_t row = 0; row < count; row++) {
        for (int column = 0; column < columns; column++) {
            if (texts[column]) free((void *)cells[row * columns + column].text.start);
        }
    }
    free(texts);
    free(cells);
    sqlite3_finalize(statement);
    *sum = total;
    return code == SQLITE_DONE ? count : fail(database);
}

int64_t peer_sqlite_look_up(peer_sqlite *peer, const char *sql, const void *keys, int64_t count, int64_t *sum) {
    sqlite3 *database = (sqlite3 *)peer;
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return fail(database);
    int columns = sqlite3_column_count(statement);
    int64_t *cells = malloc(count * columns * sizeof *cells), total = 0, found = 0;
    for (int64_t index = 0; index < count; index++) {
        sqlite3_bind_blob(statement, 1, (const char *)keys + index * 16, 16, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW) {
            found++;
            for (int column = 0; column < columns; column++) {
                total += cells[index * columns + column] = sqlite3_column_int64(statement, column);
            }
        }
        sqlite3_reset(statement);
    }
    free(cells);
    sqlite3_finalize(statement);
    *sum = total;
    return found;
}

int64_t peer_sqlite_insert_integers(
    peer_sqlite *peer, const char *sql, const void *keys, const int64_t *cells, int64_t rows, int columns
) {
    sqlite3 *database = (sqlite3 *)peer;
    sqlite3_stmt *statement;
    if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL)) return fail(database);
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return fail(database);
    for (int64_t row = 0; row < rows; row++) {
        int position = 1;
        if (keys) {
            sqlite3_bind_blob(statement, position++, (const char *)keys + row * 16, 16, SQLITE_STATIC);
            sqlite3_bind_int64(statement, position++, 1);
        }
        for (int column = 0; column < columns; column++) {
            sqlite3_bind_int64(statement, position++, cells[row * columns + column]);
        }
        if (sqlite3_step(statement) != SQLITE_DONE) return fail(database);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) ? fail(database) : rows;
}
