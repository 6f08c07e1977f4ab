// A file system for SQLite over its own, which tells the disk of what is done to files.
#include "disk.h"

#include <sqlite3.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    /// 0 for a file that is none of the disk's.
    int handle;
    /// A log that was made and not synced yet: with the first sync SQLite syncs its folder too.
    int is_new_log;
    const char *path;
} cut_file;

static sqlite3_vfs *below;
static sqlite3_vfs cut_vfs;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((char *)file + sizeof(cut_file)); }

// Runs a call of SQLite's own file system, whose calls of the C library the disk is not to hear of again.
#define BELOW(call) \
    power_cut_is_inside++; \
    int result = call; \
    power_cut_is_inside--; \
    return result

static int cut_close(sqlite3_file *file) { BELOW(real(file)->pMethods->xClose(real(file))); }

static int cut_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    BELOW(real(file)->pMethods->xRead(real(file), bytes, count, offset));
}

static int cut_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    cut_file *mine = (cut_file *)file;
    if (mine->handle && power_cut_told.wrote(mine->handle, bytes, count, offset)) return SQLITE_IOERR_WRITE;
    BELOW(real(file)->pMethods->xWrite(real(file), bytes, count, offset));
}

static int cut_truncate(sqlite3_file *file, sqlite3_int64 size) {
    cut_file *mine = (cut_file *)file;
    if (mine->handle && power_cut_told.resized(mine->handle, size)) return SQLITE_IOERR_TRUNCATE;
    BELOW(real(file)->pMethods->xTruncate(real(file), size));
}

static int cut_sync(sqlite3_file *file, int flags) {
    cut_file *mine = (cut_file *)file;
    if (mine->handle) {
        if (power_cut_told.synced(mine->handle)) return SQLITE_IOERR_FSYNC;
        if (mine->is_new_log) {
            if (power_cut_told.synced_folder_of(mine->path)) return SQLITE_IOERR_DIR_FSYNC;
            mine->is_new_log = 0;
        }
        return SQLITE_OK;
    }
    BELOW(real(file)->pMethods->xSync(real(file), flags));
}

static int cut_size(sqlite3_file *file, sqlite3_int64 *size) {
    BELOW(real(file)->pMethods->xFileSize(real(file), size));
}

static int cut_lock(sqlite3_file *file, int lock) { BELOW(real(file)->pMethods->xLock(real(file), lock)); }
static int cut_unlock(sqlite3_file *file, int lock) { BELOW(real(file)->pMethods->xUnlock(real(file), lock)); }

static int cut_check_lock(sqlite3_file *file, int *lock) {
    BELOW(real(file)->pMethods->xCheckReservedLock(real(file), lock));
}

static int cut_control(sqlite3_file *file, int operation, void *argument) {
    // Growing a file ahead of its content would change it behind the disk's back; SQLite does without.
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_NOTFOUND;
    BELOW(real(file)->pMethods->xFileControl(real(file), operation, argument));
}

static int cut_sector_size(sqlite3_file *file) { BELOW(real(file)->pMethods->xSectorSize(real(file))); }

static int cut_characteristics(sqlite3_file *file) {
    BELOW(real(file)->pMethods->xDeviceCharacteristics(real(file)));
}

static int cut_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    BELOW(real(file)->pMethods->xShmMap(real(file), page, size, extends, memory));
}

static int cut_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    BELOW(real(file)->pMethods->xShmLock(real(file), offset, count, flags));
}

static void cut_shm_barrier(sqlite3_file *file) {
    power_cut_is_inside++;
    real(file)->pMethods->xShmBarrier(real(file));
    power_cut_is_inside--;
}

static int cut_shm_unmap(sqlite3_file *file, int deletes) {
    BELOW(real(file)->pMethods->xShmUnmap(real(file), deletes));
}

// Version 2: no memory-mapped reading and writing, which the disk would not see.
static const sqlite3_io_methods methods = {
    2, cut_close, cut_read, cut_write, cut_truncate, cut_sync, cut_size, cut_lock, cut_unlock, cut_check_lock,
    cut_control, cut_sector_size, cut_characteristics, cut_shm_map, cut_shm_lock, cut_shm_barrier, cut_shm_unmap,
    NULL, NULL,
};

static int exists(const char *path) {
    int found = 0;
    power_cut_is_inside++;
    below->xAccess(below, path, SQLITE_ACCESS_EXISTS, &found);
    power_cut_is_inside--;
    return found;
}

static int cut_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    cut_file *mine = (cut_file *)file;
    memset(mine, 0, sizeof *mine);
    mine->path = path;
    int kinds = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
    if (path != NULL && flags & kinds && power_cut_keeps(path)) {
        int is_new = flags & SQLITE_OPEN_CREATE && !exists(path);
        mine->handle = power_cut_told.opened(path, is_new, 0);
        if (mine->handle < 0) return SQLITE_CANTOPEN;
        mine->is_new_log = is_new && !(flags & SQLITE_OPEN_MAIN_DB);
    }
    power_cut_is_inside++;
    int result = below->xOpen(below, path, real(file), flags, out);
    power_cut_is_inside--;
    if (real(file)->pMethods != NULL) mine->base.pMethods = &methods;
    return result;
}

static int cut_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    int is_kept = power_cut_keeps(path) && strstr(path, "-shm") == NULL && exists(path);
    if (is_kept) {
        if (power_cut_told.removed(path)) return SQLITE_IOERR_DELETE;
        if (syncs && power_cut_told.synced_folder_of(path)) return SQLITE_IOERR_DIR_FSYNC;
    }
    BELOW(below->xDelete(below, path, syncs));
}

static int cut_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    return below->xAccess(below, path, flags, result);
}

static int cut_full_path(sqlite3_vfs *vfs, const char *path, int size, char *result) {
    return below->xFullPathname(below, path, size, result);
}

static int cut_randomness(sqlite3_vfs *vfs, int count, char *bytes) { return below->xRandomness(below, count, bytes); }
static int cut_sleep(sqlite3_vfs *vfs, int microseconds) { return below->xSleep(below, microseconds); }
static int cut_time(sqlite3_vfs *vfs, double *time) { return below->xCurrentTime(below, time); }
static int cut_error(sqlite3_vfs *vfs, int size, char *text) { return below->xGetLastError(below, size, text); }

static int cut_time64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return below->xCurrentTimeInt64(below, time);
}

int power_cut_install(const char *path, const power_cut_disk *disk) {
    power_cut_begin(path, disk);
    if (below != NULL) return SQLITE_OK;
    below = sqlite3_vfs_find("unix");
    if (below == NULL) return SQLITE_NOTFOUND;
    cut_vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(cut_file) + below->szOsFile,
        .mxPathname = below->mxPathname,
        .zName = "power-cut",
        .xOpen = cut_open,
        .xDelete = cut_delete,
        .xAccess = cut_access,
        .xFullPathname = cut_full_path,
        .xRandomness = cut_randomness,
        .xSleep = cut_sleep,
        .xCurrentTime = cut_time,
        .xGetLastError = cut_error,
        .xCurrentTimeInt64 = cut_time64,
    };
    return sqlite3_vfs_register(&cut_vfs, 1);
}
