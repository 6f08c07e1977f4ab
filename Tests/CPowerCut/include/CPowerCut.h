#ifndef C_POWER_CUT_H
#define C_POWER_CUT_H

#include <stddef.h>
#include <stdint.h>

/// The calls by which a disk is told of the files below a folder. A function that returns an error number other than 0
/// refuses the coming change: the power is off. `handle` is the one that `opened` gave; positive.
typedef struct {
    /// A file or folder is about to be opened, and made or emptied if the flags say so. Gives its handle; 0 when it is none of the
    /// disk's, a negative error number when it cannot be.
    int (*opened)(const char *path, int makes, int empties);
    int (*wrote)(int handle, const void *bytes, size_t count, int64_t offset);
    int (*resized)(int handle, int64_t size);
    int (*synced)(int handle);
    int (*renamed)(const char *path, const char *other);
    int (*removed)(const char *path);
    int (*made_folder)(const char *path);
    int (*synced_folder_of)(const char *path);
} power_cut_disk;

/// Has the disk told of all that this process does from now on to files below `folder`, through the C library or through SQLite, whose
/// default file system (VFS) becomes one of ours over its own. Gives SQLite's error number.
int power_cut_install(const char *folder, const power_cut_disk *disk);

/// Has the disk not told of what this thread does, until it is paused by -1.
void power_cut_pause(int by);

/// Whether this system lets a program stand in for the C library's functions.
int power_cut_is_possible(void);

#endif
