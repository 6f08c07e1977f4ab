package import Foundation

extension ContentFolder {
    /// Somebody removes drafts while they are written.
    package struct LosesDrafts: Error {
        /// The folder.
        package let folder: ContentFolder
    }

    /// So many files are open at a time.
    private static let filesAtOnce = 256
    private static let threadCount = 16
    private static let threads = WorkerPool(name: "Backstitch.files", limit: 2 * threadCount)

    /// Writes files, durably, where they are missing or have another length; the folder is there. When it throws, some
    /// of them may be there.
    ///
    /// All are drafts first, then synced, renamed, and then the folders that they came into are synced. A sync mostly
    /// waits, and those that wait at the same time share one write of the file system's journal: so many at once take
    /// little longer than one.
    ///
    /// - Throws: ``LosesDrafts`` also.
    package func write(_ files: [(name: String, content: FileContent)]) throws {
        _ = try FileCalls.makeUnsyncedFolder(drafts)
        // Of a file that is there already nobody knows whether the folders above it are on the disk: the process that
        // made it may be about to sync them, or have come to an end before.
        var folders: Set<String> = [path, FileCalls.parent(of: path)]
        for part in files.parts(of: Self.filesAtOnce) {
            let part = part.map { (path: path(of: $0.name), content: $0.content) }
            for file in part { try makeFolders(above: file.path, &folders) }
            var missing = part.filter { FileCalls.size(of: $0.path) != $0.content.size }
            // Another process that opens the folder may sweep files away before they are locked; those are written
            // again.
            for _ in 0..<3 where !missing.isEmpty { missing = try attempt(missing) }
            guard missing.isEmpty else { throw LosesDrafts(folder: self) }
        }
        try Self.together(folders.sorted()) { try FileCalls.syncFolder($0) }
    }

    /// Gives the files that somebody removed before they had their names.
    private func attempt(
        _ files: [(path: String, content: FileContent)]
    ) throws -> [(path: String, content: FileContent)] {
        var written: [(draft: OpenFile, index: Int)] = []
        defer { for (draft, _) in written { draft.close() } }
        do {
            for (index, file) in files.enumerated() {
                guard let draft = try FileCalls.create("\(drafts)/\(UUID().uuidString)") else { continue }
                written.append((draft, index))
                // It is in use by a live process: a sweep leaves it alone.
                try draft.lock()
                try file.content.write(to: draft)
            }
            try Self.together(written.map(\.draft)) { try $0.sync() }
            var missing = Set(files.indices)
            for (draft, index) in written where try FileCalls.rename(draft.path, to: files[index].path) {
                missing.remove(index)
            }
            return missing.sorted().map { files[$0] }
        } catch {
            for (draft, _) in written { try? FileCalls.remove(draft.path) }
            throw error
        }
    }

    /// Makes the levels of folders above a file, and notes them.
    private func makeFolders(above path: String, _ folders: inout Set<String>) throws {
        var levels: [String] = []
        var level = FileCalls.parent(of: path)
        while level.count > self.path.count {
            levels.append(level)
            level = FileCalls.parent(of: level)
        }
        for level in levels.reversed() where folders.insert(level).inserted {
            _ = try FileCalls.makeUnsyncedFolder(level)
        }
    }

    private static func together<Item: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) throws -> Void
    ) throws { try threads.together(items, atOnce: threadCount, body) }
}
