package import Foundation

/// Programs that are built along with the tests.
package enum TestProgram {
    /// Where the program of a name is: beside the tests' own.
    package static func location(of name: String) -> URL {
        #if os(macOS)
        let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent()
        #else
        let folder = Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
        return (folder ?? URL(filePath: ".build/debug")).appending(path: name)
    }
}
