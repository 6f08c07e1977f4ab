package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder of files that are named by their content, each below two levels of folders: `ba/78/01ba7816…`.
///
/// A file appears under its name only when it is whole and on disk; until then it is a draft. A crash leaves at most
/// drafts. Folders have mode 0700, files 0600. All calls block, and throw ``SystemError``.
package struct ContentFolder: Sendable {
    /// Where it is.
    package let path: String
    /// The folder in it for files that are not whole yet.
    package let drafts: String

    /// The folder at `path`, which need not be there yet.
    ///
    /// - Parameter drafts: The name of the folder for drafts.
    package init(_ path: String, drafts: String) {
        self.path = path
        self.drafts = path + "/" + drafts
    }

    /// Where the file of a name is.
    package func path(of name: String) -> String { path + "/" + name }

    /// The bytes of a file; nil when there is none.
    package func contents(of name: String) throws -> Data? { try FileCalls.contents(of: path(of: name)) }

    /// Length of a file; nil when there is none.
    package func size(of name: String) -> Int64? { FileCalls.size(of: path(of: name)) }

    /// Whether there is a file.
    package func has(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

    /// Removes a file if it is there.
    package func remove(_ name: String) throws { try FileCalls.remove(path(of: name)) }

    /// Calls `body` with the names of all files, folder by folder.
    ///
    /// - Parameter isOurs: Asked for each folder of the first level (0) and the second (1), and for each file (2): what
    ///   is none of ours is passed over.
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
