package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder of files named by their content, each below two levels of folders: `ba/78/01ba7816…`.
///
/// A file gets its name only when it is complete and on disk. Until then it is a draft, so a crash leaves at most
/// drafts. Folders have mode 0700, files 0600. All calls block, and throw ``SystemError``.
package struct ContentFolder: Sendable {
    /// The path of the folder in the file system.
    package let path: String
    /// The path of the subfolder for incomplete files.
    package let drafts: String

    /// Makes a value for the folder at `path`, which need not exist yet.
    ///
    /// - Parameter drafts: The name of the folder for drafts.
    package init(_ path: String, drafts: String) {
        self.path = path
        self.drafts = path + "/" + drafts
    }

    /// Returns the path of the file with a name.
    package func path(of name: String) -> String { path + "/" + name }

    /// Reads the bytes of a file; nil if there is none.
    package func contents(of name: String) throws -> Data? { try FileCalls.contents(of: path(of: name)) }

    /// Returns the length of a file; nil if there is none.
    package func size(of name: String) -> Int64? { FileCalls.size(of: path(of: name)) }

    /// Whether a file of this name exists.
    package func has(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

    /// Removes a file if it exists.
    package func remove(_ name: String) throws { try FileCalls.remove(path(of: name)) }

    /// Calls `body` with the names of all files, folder by folder.
    ///
    /// - Parameter isOurs: Called for each folder of the first level (0) and the second (1), and for each file (2). If
    ///   it returns false, the entry is skipped.
    package func forEachName(
        where isOurs: (_ level: Int, _ name: String) -> Bool, _ body: (String) throws -> Void
    ) throws {
        for first in try FileCalls.names(in: path) where isOurs(0, first) {
            for second in try FileCalls.names(in: "\(path)/\(first)") where isOurs(1, second) {
                for name in try FileCalls.names(in: "\(path)/\(first)/\(second)") where isOurs(2, name) {
                    try body("\(first)/\(second)/\(name)")
                }
            }
        }
    }
}
