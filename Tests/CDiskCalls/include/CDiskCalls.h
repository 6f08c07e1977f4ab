#ifndef C_DISK_CALLS_H
#define C_DISK_CALLS_H

/// Whether this system lets a program stand in for the calls.
int disk_calls_are_counted(void);

/// How many calls of fsync and fdatasync for write-ahead logs of SQLite have returned so far.
unsigned long syncs_so_far(void);

/// How many calls of fsync for folders have returned so far.
unsigned long folder_syncs_so_far(void);

/// How many calls of fsync for other files have returned so far, and how many had when the last one for a log did.
unsigned long file_syncs_so_far(void);
unsigned long file_syncs_before_last_sync(void);

/// Lets the next call for a write-ahead log wait (1), or go on (0).
void syncs_hold(int hold);

/// How many calls wait.
unsigned long syncs_waiting(void);

/// Lets fsync (not fdatasync) fail with EIO (1), or not (0).
void fsync_fail(int fail);

/// How often a descriptor was closed that was not open.
unsigned long wrong_closes(void);

#endif
