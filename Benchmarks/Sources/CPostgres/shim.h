// PostgreSQL's client library, as pkg-config finds it.
#include <libpq-fe.h>
