package import Foundation

extension ContentFolder {
    /// Another program removes drafts while they are written.
    package struct LosesDrafts: Error {
        /// The folder of the lost drafts.
        package let folder: ContentFolder
    }

    /// The most files open at a time.
    private static let filesAtOnce = 256
    private static let threadCount = 16
    private static let threads = WorkerPool(name: "Backstitch.files", limit: 2 * threadCount)

    /// Writes files durably, if they are missing or have another length. The folder must exist. If it throws, some of
    /// the files may have been written.
    ///
    /// All files are first written as drafts, then synced and renamed. At the end the changed folders are synced. A
    /// sync mostly waits, and syncs at the same time share one write of the file system's journal. Therefore many of
    /// them at once take little longer than one.
    ///
    /// - Throws: ``LosesDrafts`` also.
    package func write(_ files: [(name: String, content: FileContent)]) throws {
        _ = try FileCalls.makeUnsyncedFolder(drafts)
        // A file may exist although the folders above it are not on the disk yet. Its process may be about to sync
        // them, or may have ended before it did.
        var folders: Set<String> = [path, FileCalls.parent(of: path)]
        for part in files.parts(of: Self.filesAtOnce) {
            let part = part.map { (path: path(of: $0.name), content: $0.content) }
            for file in part { try makeFolders(above: file.path, &folders) }
            var missing = part.filter { FileCalls.size(of: $0.path) != $0.content.size }
            // Another process may open the folder and sweep files away before they are locked. Those files are written
            // again.
            for _ in 0..<3 where !missing.isEmpty { missing = try attempt(missing) }
            guard missing.isEmpty else { throw LosesDrafts(folder: self) }
        }
        try Self.together(folders.sorted()) { try FileCalls.syncFolder($0) }
    }

    /// Returns the files that were removed before they got their names.
    private func attempt(
        _ files: [(path: String, content: FileContent)]
    ) throws -> [(path: String, content: FileContent)] {
        var written: [(draft: OpenFile, index: Int)] = []
        defer { for (draft, _) in written { draft.close() } }
        do {
            for (index, file) in files.enumerated() {
                guard let draft = try FileCalls.create("\(drafts)/\(UUID().uuidString)") else { continue }
                written.append((draft, index))
                // The lock shows that a live process uses the draft, so a sweep leaves it alone.
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

    /// Makes the levels of folders above a file, and adds them to `folders`.
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
