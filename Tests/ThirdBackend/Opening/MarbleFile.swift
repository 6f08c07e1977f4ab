import Backstitch
import Foundation

/// The file of a store, and what lies beside it.
struct MarbleFile {
    let path: String

    init(_ url: URL?) throws {
        guard let url, url.isFileURL else {
            throw BackstitchError(.invalidRequest, "a Marble store lives in a file; give its description a file URL")
        }
        path = url.path
    }

    /// The folder of its assets.
    var assets: URL { URL(fileURLWithPath: path + "-assets", isDirectory: true) }

    /// Whether there is a file.
    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    }

    func remove() throws {
        for path in [path, path + "-wal", path + "-shm", assets.path] where FileManager.default.fileExists(atPath: path)
        {
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
