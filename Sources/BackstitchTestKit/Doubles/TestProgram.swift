package import Foundation

/// Programs that are built along with the tests.
package enum TestProgram {
    /// The location of a program: beside the tests' own, or in the folder of the environment variable
    /// `BACKSTITCH_PROGRAMS`. That folder may hold programs built for release or with a sanitizer.
    package static func location(of name: String) -> URL { folder.appending(path: name) }

    private static let folder: URL = {
        if let other = ProcessInfo.processInfo.environment["BACKSTITCH_PROGRAMS"] { return URL(filePath: other) }
        #if os(macOS)
        let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent()
        #else
        let folder = Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
        return folder ?? URL(filePath: ".build/debug")
    }()
}
