#ifndef DISK_H
#define DISK_H

#include "CPowerCut.h"

/// The disk that both layers tell.
extern power_cut_disk power_cut_told;
/// Above 0 while SQLite's own file system is at work for ours, which has told the disk already.
extern _Thread_local int power_cut_is_inside;

int power_cut_keeps(const char *path);
void power_cut_begin(const char *path, const power_cut_disk *disk);

#endif
