import Foundation

/// Files that are written whole or not at all, also when the power fails.
enum DurableFile {
    /// Where a file is written before it takes its place.
    static func draft(of url: URL) -> URL {
        url.deletingLastPathComponent().appending(path: url.lastPathComponent + "-new")
    }

    /// Puts `data` in the place of a file: written beside it, forced to the disk, then renamed, which the system does
    /// in one step.
    static func replace(_ url: URL, with data: Data) throws {
        let draft = draft(of: url)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft.path, contents: data, attributes: attributes) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft.path])
        }
        try synchronize(draft)
        guard rename(draft.path, url.path) == 0 else { throw systemError() }
        // The name is in the folder, which has to reach the disk too.
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
