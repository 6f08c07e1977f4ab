import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension ContentFolder {
    /// Removes what a crash left: drafts that no live process holds a lock on.
    package func sweepDrafts() throws {
        for name in try FileCalls.names(in: drafts) {
            let path = drafts + "/" + name
            guard let file = FileCalls.open(path) else { continue }
            defer { file.close() }
            if file.tryLock() { try FileCalls.remove(path) }
        }
    }

    /// Gives a draft that is whole and synced its name, and waits for the disk. The same content twice is one file; the
    /// draft stays where the file system has second names.
    ///
    /// - Throws: ``NotAFolder`` also.
    package func adopt(_ draft: String, as name: String) throws {
        let place = path(of: name)
        let folder = FileCalls.parent(of: place)
        // Also where they are there: the one that made them may not have come to sync them.
        try FileCalls.makeRealFolder(FileCalls.parent(of: folder))
        try FileCalls.makeRealFolder(folder)
        // By a second name where the file system has such: the caller may have to give the draft its place once more.
        let second = draft + "-second"
        let moved = link(draft, second) == 0 ? second : draft
        defer { if moved == second { unlink(second) } }
        guard FileCalls.systemRename(moved, place) == 0 else { throw SystemError.last("rename", draft) }
        try FileCalls.syncFolder(folder, isRequired: true)
    }
}
