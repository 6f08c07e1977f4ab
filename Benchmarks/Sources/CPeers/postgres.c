#include "CPeers.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

void peer_fail(const char *text);

static int64_t fail(PGconn *connection) {
    peer_fail(PQerrorMessage(connection));
    return -1;
}

static uint64_t big(uint64_t number) { return __builtin_bswap64(number); }

static void ignore(void *context, const PGresult *notice) {
    (void)context;
    (void)notice;
}

peer_postgres *peer_postgres_open(const char *address) {
    PGconn *connection = PQconnectdb(address);
    PQsetNoticeReceiver(connection, ignore, NULL);
    if (PQstatus(connection) == CONNECTION_OK) return (peer_postgres *)connection;
    fail(connection);
    PQfinish(connection);
    return NULL;
}

void peer_postgres_close(peer_postgres *connection) { PQfinish((PGconn *)connection); }

int64_t peer_postgres_run(peer_postgres *peer, const char *sql) {
    PGconn *connection = (PGconn *)peer;
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    int64_t rows = atoll(PQcmdTuples(result));
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ? rows : fail(connection);
}

int64_t peer_postgres_fetch_integers(peer_postgres *peer, const char *sql, int columns, int64_t *sum) {
    PGconn *connection = (PGconn *)peer;
    PGresult *result = PQexecParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        PQclear(result);
        return fail(connection);
    }
    int rows = PQntuples(result);
    int64_t total = 0, *cells = malloc((size_t)rows * columns * sizeof *cells);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            uint64_t number;
            memcpy(&number, PQgetvalue(result, row, column), sizeof number);
            cells[(size_t)row * columns + column] = (int64_t)big(number);
        }
    }
    PQclear(result);
    for (size_t index = 0; index < (size_t)rows * columns; index++) total += cells[index];
    free(cells);
    *sum = total;
    return rows;
}

static char *put16(char *place, uint16_t number) {
    uint16_t wire = htons(number);
    return (char *)memcpy(place, &wire, sizeof wire) + sizeof wire;
}

static char *put32(char *place, uint32_t number) {
    uint32_t wire = htonl(number);
    return (char *)memcpy(place, &wire, sizeof wire) + sizeof wire;
}

static char *put64(char *place, uint64_t number) {
    uint64_t wire = big(number);
    place = put32(place, 8);
    return (char *)memcpy(place, &wire, sizeof wire) + sizeof wire;
}

int64_t peer_postgres_copy(
    peer_postgres *peer, const char *sql, const void *keys, const int64_t *cells, int64_t rows, int columns
) {
    PGconn *connection = (PGconn *)peer;
    if (peer_postgres_run(peer, "BEGIN") < 0) return -1;
    PGresult *result = PQexec(connection, sql);
    if (PQresultStatus(result) != PGRES_COPY_IN) return fail(connection);
    PQclear(result);
    static const char header[19] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
    if (PQputCopyData(connection, header, sizeof header) != 1) return fail(connection);
    size_t width = 2 + 20 + 12 + (size_t)columns * 12;
    char *buffer = malloc(width * 500);
    for (int64_t row = 0; row < rows;) {
        char *place = buffer;
        for (int64_t end = row + 500 < rows ? row + 500 : rows; row < end; row++) {
            place = put16(place, (uint16_t)(columns + 2));
            place = put32(place, 16);
            place = (char *)memcpy(place, (const char *)keys + row * 16, 16) + 16;
            place = put64(place, 1);
            for (int column = 0; column < columns; column++) {
                place = put64(place, (uint64_t)cells[row * columns + column]);
            }
        }
        if (PQputCopyData(connection, buffer, (int)(place - buffer)) != 1) return fail(connection);
    }
    free(buffer);
    char end[2];
    put16(end, 0xFFFF);
    if (PQputCopyData(connection, end, 2) != 1 || PQputCopyEnd(connection, NULL) != 1) return fail(connection);
    while ((result = PQgetResult(connection))) {
        ExecStatusType status = PQresultStatus(result);
        PQclear(result);
        if (status != PGRES_COMMAND_OK) return fail(connection);
    }
    return peer_postgres_run(peer, "COMMIT") < 0 ? -1 : rows;
}
