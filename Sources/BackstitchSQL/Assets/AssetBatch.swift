import Backstitch
import Foundation

/// Puts many files into a folder of assets, durably.
///
/// All are written under temporary names, then synced, renamed, and then the folders that they came into are synced. A
/// sync mostly waits, and those that wait at the same time share one write of the file system's journal: so many at
/// once take little longer than one.
struct AssetBatch {
    let folder: String
    let temporaryFolder: String

    /// So many files are open at a time.
    private static let length = 256

    /// Writes files of these paths below ``folder``, which is there, where they are missing; when it throws, some of
    /// them may be there.
    func place(_ files: [(path: String, data: Data)]) throws {
        _ = try FileCalls.makeUnsyncedFolder(temporaryFolder)
        // Of a file that is there already nobody knows whether the folders above it are on the disk: whoever made it
        // may be about to sync them, or have come to an end before.
        var folders: Set<String> = [folder, FileCalls.parent(of: folder)]
        for start in stride(from: 0, to: files.count, by: Self.length) {
            let part = files[start..<min(start + Self.length, files.count)]
            for file in part { try makeFolders(above: file.path, &folders) }
            var missing = part.filter { FileCalls.size(of: $0.path) != Int64($0.data.count) }
            // Another process that opens the folder may sweep files away before they are locked; those are written
            // again.
            for _ in 0..<3 where !missing.isEmpty { missing = try attempt(missing) }
            guard missing.isEmpty else {
                throw BackstitchError(
                    .asset, "\(temporaryFolder) loses files while they are written; keep other programs out of it",
                    key: folder)
            }
        }
        try FileCalls.atOnce(folders.sorted()) { try FileCalls.syncFolder($0) }
    }

    /// Gives the files that somebody removed before they had their names.
    private func attempt(_ files: [(path: String, data: Data)]) throws -> [(path: String, data: Data)] {
        var drafts: [(temporary: String, file: OpenFile, index: Int)] = []
        defer { for draft in drafts { draft.file.close() } }
        do {
            for (index, content) in files.enumerated() {
                let temporary = "\(temporaryFolder)/\(UUID().uuidString)"
                guard let file = try FileCalls.create(temporary) else { continue }
                drafts.append((temporary, file, index))
                // It is in use by a live process: a sweep leaves it alone.
                try file.lock()
                try file.write(content.data)
            }
            try FileCalls.atOnce(drafts.map(\.file)) { try $0.sync() }
            var missing = Set(files.indices)
            for draft in drafts where try FileCalls.rename(draft.temporary, to: files[draft.index].path) {
                missing.remove(draft.index)
            }
            return missing.sorted().map { files[$0] }
        } catch {
            for draft in drafts { try? FileCalls.remove(draft.temporary) }
            throw error
        }
    }

    /// Makes the levels of folders above a file, and notes them.
    private func makeFolders(above path: String, _ folders: inout Set<String>) throws {
        var levels: [String] = []
        var level = FileCalls.parent(of: path)
        while level.count > folder.count {
            levels.append(level)
            level = FileCalls.parent(of: level)
        }
        for level in levels.reversed() where folders.insert(level).inserted {
            _ = try FileCalls.makeUnsyncedFolder(level)
        }
    }
}
