import Foundation

/// The Python whose packages `scripts/bootstrap` has seen to.
enum TestPython {
    /// The one that scripts/bootstrap has made, where the machine's own lacks something.
    static var path: String {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let own = root.appending(path: ".build/python/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }
}
