import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension ContentFolder {
    /// Removes the drafts of a crash: those not locked by a live process.
    package func sweepDrafts() throws {
        for name in try FileCalls.names(in: drafts) {
            let path = drafts + "/" + name
            guard let file = FileCalls.open(path) else { continue }
            defer { file.close() }
            if file.tryLock() { try FileCalls.remove(path) }
        }
    }

    /// Gives a complete and synced draft its final name, and waits for the disk. The same content twice is one file.
    /// The draft stays if the file system supports hard links.
    ///
    /// - Throws: ``NotAFolder`` also.
    package func adopt(_ draft: String, as name: String) throws {
        let place = path(of: name)
        let folder = FileCalls.parent(of: place)
        // Existing folders too: the process that made them may have ended before it synced them.
        try FileCalls.makeRealFolder(FileCalls.parent(of: folder))
        try FileCalls.makeRealFolder(folder)
        // By a hard link, if the file system has them: the caller may have to adopt the same draft again.
        let second = draft + "-second"
        let moved = link(draft, second) == 0 ? second : draft
        defer { if moved == second { unlink(second) } }
        guard FileCalls.systemRename(moved, place) == 0 else { throw SystemError.last("rename", draft) }
        try FileCalls.syncFolder(folder, isRequired: true)
    }
}
