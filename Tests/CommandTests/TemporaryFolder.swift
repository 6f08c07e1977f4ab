import Foundation

/// A folder that is removed at the end of the test.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
}
