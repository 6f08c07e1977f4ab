import Foundation

extension TestProcess {
    /// Python with the packages of the tests: the one made by scripts/bootstrap, if the machine's own lacks something.
    package static var python: String {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let own = root.appending(path: ".build/python/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }
}
