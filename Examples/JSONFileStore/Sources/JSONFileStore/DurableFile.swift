import Foundation

/// Files that are written whole or not at all, even if the power fails.
enum DurableFile {
    /// Returns the temporary file beside a file, for new content before it replaces the file.
    static func draft(of url: URL) -> URL {
        url.deletingLastPathComponent().appending(path: url.lastPathComponent + "-new")
    }

    /// Replaces the content of a file. The data is written beside it, synced to the disk, then renamed; the system
    /// renames in one step.
    static func replace(_ url: URL, with data: Data) throws {
        let draft = draft(of: url)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft.path, contents: data, attributes: attributes) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft.path])
        }
        try synchronize(draft)
        guard rename(draft.path, url.path) == 0 else { throw systemError() }
        // The name belongs to the folder, so the folder must be on the disk too.
        try synchronize(url.deletingLastPathComponent())
    }

    private static func synchronize(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError() }
    }

    static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
