import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import GRDBSQLite
import Logging

/// Shows that a store of this process has a file open, until the object is released.
///
/// Warns, once, if another store also has the file open. In this process, that is one container too many. In another
/// process it is fine, unless SQLite is older than 3.51.3. Then two connections that move the log into the file at the
/// same moment can damage it.
final class FilePresence: Sendable {
    private static let firstSafeVersion: Int32 = 3_051_003
    private static let open = Locked<[String: Int]>([:])

    private let path: String
    /// The warning about others that have the file open, with advice; nil for no problem.
    let warning: String?

    /// Notes a file; call this before the file is opened.
    init(_ file: SQLiteFile) {
        let path = URL(fileURLWithPath: file.path).resolvingSymlinksInPath().path
        self.path = path
        let count = Self.open.withLock { open in
            open[path, default: 0] += 1
            return open[path] ?? 1
        }
        warning =
            if count > 1 {
                """
                \(path) is already open in this process: share one container, whose contexts see each other's saves \
                at once, and close containers that you no longer need\(Self.isUnsafe ? ". \(Self.danger)" : "")
                """
            } else if Self.isUnsafe, Self.isOpenElsewhere(file) {
                "\(path) is open in another process. \(Self.danger)"
            } else {
                nil
            }
        if let warning { OnceLog.current.tell(.warning, warning) }
    }

    deinit {
        Self.open.withLock { open in
            let count = (open[path] ?? 1) - 1
            open[path] = count > 0 ? count : nil
        }
    }

    static var isUnsafe: Bool { sqlite3_libversion_number() < firstSafeVersion }

    private static var danger: String {
        """
        SQLite \(String(cString: sqlite3_libversion())) can damage a file that two connections write; update SQLite to 3.51.3 or newer, or \
        give each its own store
        """
    }

    /// Whether another process has the file open. Each connection with a log holds a lock on byte 128 of the shared
    /// memory (`UNIX_SHM_DMS` in SQLite's os_unix.c). Linux lists locks. On other systems the file would have to be
    /// opened, and its closing would end this process's own locks. So the result is false there.
    private static func isOpenElsewhere(_ file: SQLiteFile) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.sharedMemory)
        guard let inode = attributes?[.systemFileNumber] as? Int else { return false }
        // Linux gives the list a page at a time, and counts its lines to continue. A lock that ends meanwhile hides
        // another one. This happens in one of sixty reads if thousands of locks are made and released each second.
        return (0..<3).contains { _ in isListedElsewhere(inode) }
    }

    private static func isListedElsewhere(_ inode: Int) -> Bool {
        // Foundation, asked for a whole file by its path, returns only the first page. Nearly always no lock is on such
        // a file. Lines are split into words only if one is.
        guard let locks = try? FileCalls.contents(of: "/proc/locks"),
            locks.range(of: Data(":\(inode) 128 128\n".utf8)) != nil
        else { return false }
        let own = ProcessInfo.processInfo.processIdentifier
        return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains { line in
            // 104: POSIX  ADVISORY  READ 26435 fe:00:16310652 128 128
            let fields = line.split(separator: " ")
            return fields.count >= 8 && fields[1] == "POSIX" && fields[6] == "128" && fields[7] == "128"
                && fields[5].hasSuffix(":\(inode)") && fields[4] != "\(own)"
        }
    }
}
