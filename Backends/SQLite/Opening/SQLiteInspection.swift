import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import GRDBSQLite

/// Looks at a file before it is opened for writing, without leaving a trace. The file does not change, and no other
/// file is made.
///
/// The file is read as immutable, so SQLite takes no locks and makes no files beside it. A store's identity is written
/// when the store is made, and soon after moved into the file itself. So mostly the file alone is enough. If it is not,
/// and others have it open or have left a log, it is read with its log under SQLite's locks. That may create the log's
/// index (`-shm`), but changes neither file nor log. A file with a rollback journal can be read only after SQLite has
/// repaired it, which means to open it.
///
/// SQLite also opens the file for this. A `close` by this code would drop the locks that other connections of this
/// process hold on it.
struct SQLiteInspection {
    private enum Mode: String {
        case immutable = "immutable=1"
        case withLog = "mode=ro"
    }

    private let connection: OpaquePointer

    /// A file under change is looked at this many times. Then it is read under SQLite's locks.
    private static let looks = 50

    /// The migration that the file needs; nil for none, and for an empty database.
    ///
    /// - Throws: A fault unless the file is a store that can be opened, or an empty database.
    @discardableResult
    static func migration(of file: SQLiteFile, _ configuration: StoreConfiguration) throws -> StoreMigration? {
        try refuseForeignLog(of: file)
        do {
            if try isDecided(file, configuration) || file.hasJournal { return nil }
            let identity = try identity(of: file, .withLog)
            return identity.isBlank ? nil : try identity.check(configuration, store: file.path)
        } catch {
            throw SQLiteFailure.explain(error, store: file.path)
        }
    }

    /// Refuses a log that was written for another state of the file, for example because a backup of the file was
    /// restored. A log without a mark is left to SQLite.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` for such a log.
    private static func refuseForeignLog(of file: SQLiteFile) throws {
        for _ in 0..<looks {
            guard let log = file.logName else { return }
            let isForeign: Bool
            do { isForeign = try self.isForeign(log, beside: file) } catch is SQLiteFailure {
                // The file cannot be read without the log, or the log cannot be read. SQLite's opening shows the fault.
                return
            }
            // If others have begun a new log meanwhile, file and log were read at different times.
            guard file.logName == log else { continue }
            if isForeign { throw file.foreignLog }
            return
        }
    }

    /// Whether a log has a mark that does not fit the file. If the log belongs to the file, the file has either the
    /// mark of the log or the one before it, and they can be read together.
    private static func isForeign(_ log: String, beside file: SQLiteFile) throws -> Bool {
        let state = try read(file, .immutable) { inspection in
            MarkedFile(
                link: LogLink(try inspection.firstText(StoreTable.query(for: .log))),
                // If a process has died while it moved the log, the number may be readable only with the log.
                transaction: (try? lastTransaction(inspection.firstText)) ?? .max)
        }
        // Mostly this is enough: a part of the log was moved into the file.
        guard let mark = state.link?.log, mark != log else { return false }
        do {
            let link = try read(file, .withLog) { inspection in
                _ = try lastTransaction(inspection.firstText)
                return LogLink(try inspection.firstText(StoreTable.query(for: .log)))
            }
            guard let link, link.log == log else { return false }
            return !link.fits(state)
        } catch let failure as SQLiteFailure where [SQLITE_CORRUPT, SQLITE_NOTADB].contains(failure.code & 0xFF) {
            // The file alone can be read, and SQLite uses only undamaged pages of a log.
            return true
        }
    }

    /// The number of the last history transaction. It is in two places. If the power has failed while a page was
    /// written, one of them may be wrong.
    private static func lastTransaction(_ query: (String) throws -> String?) throws -> Int64 {
        let numbers = try [SystemTables.lastTransaction, SystemTables.lastKeptTransaction].map(query)
        return numbers.compactMap { $0.flatMap { Int64($0) } }.max() ?? .max
    }

    /// Reads through a connection that is closed afterwards.
    private static func read<Result>(
        _ file: SQLiteFile, _ mode: Mode, _ body: (SQLiteInspection) throws -> Result
    ) throws -> Result {
        let inspection = try SQLiteInspection(file, mode)
        defer { sqlite3_close(inspection.connection) }
        return try body(inspection)
    }

    /// Whether the file alone shows that it can be opened unchanged. Throws if the file shows that it cannot. Writes by
    /// others are no reason to refuse it: it is read without locks, and pages of two states look like a damaged file.
    private static func isDecided(_ file: SQLiteFile, _ configuration: StoreConfiguration) throws -> Bool {
        for _ in 0..<looks {
            let before = FileCalls.stamp(of: file.path)
            do { return try looksReady(file, configuration) } catch {
                // Another program's file is so in every state.
                if (error as? BackstitchError)?.code == .notADatabase { throw error }
                if file.isInUse { return false }
                // A process that has just closed the file has removed its log.
                Thread.sleep(forTimeInterval: 0.02)
                if FileCalls.stamp(of: file.path) == before, !file.isInUse { throw error }
            }
        }
        return false
    }

    /// Whether the present content of the file alone shows that it can be opened. A process may die while it moves its
    /// log into the file; the file is then valid only together with the log. If a process dies in the first
    /// transaction, the file is valid only with its journal.
    private static func looksReady(_ file: SQLiteFile, _ configuration: StoreConfiguration) throws -> Bool {
        let hasLog = file.hasLog
        do {
            let identity = try identity(of: file, .immutable)
            if identity.isBlank { return !hasLog }
            if hasLog, identity.isStore {
                // A migration may only be in the log.
                guard case .success(nil) = Result(catching: { try identity.check(configuration, store: file.path) })
                else { return false }
                return true
            }
            return try identity.check(configuration, store: file.path) == nil
        } catch let failure as SQLiteFailure
            where (hasLog || file.hasJournal)
            && [SQLITE_CORRUPT, SQLITE_IOERR, SQLITE_NOTADB].contains(failure.code & 0xFF)
        {
            return false
        }
    }

    /// Reads the identity of a file.
    private static func identity(of file: SQLiteFile, _ mode: Mode) throws -> SQLiteIdentity {
        try read(file, mode) { inspection in
            // All queries run in one transaction, which ends with the connection, because other processes may write
            // meanwhile.
            _ = try inspection.firstText("BEGIN")
            return try SQLiteIdentity(inspection.firstText)
        }
    }

    private init(_ file: SQLiteFile, _ mode: Mode) throws {
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(
            file.uri(mode.rawValue), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let connection else {
            let failure = SQLiteFailure(code, on: connection)
            sqlite3_close(connection)
            throw failure
        }
        sqlite3_busy_timeout(connection, 5_000)
        self.connection = connection
    }

    /// The first column of a query's first row as text; nil for no row or null.
    private func firstText(_ query: String) throws -> String? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, query, -1, &statement, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(code, on: connection) }
        defer { sqlite3_finalize(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) }
        case SQLITE_DONE: return nil
        case let code: throw SQLiteFailure(code, on: connection)
        }
    }
}

extension SQLiteFile {
    /// Whether others have the file open, or have died while it was open.
    fileprivate var isInUse: Bool { hasLog || hasJournal || FileCalls.size(of: sharedMemory) != nil }

    /// Whether there is a journal that SQLite would use, judged by its first bytes
    /// (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
    fileprivate var hasJournal: Bool {
        guard let file = FileHandle(forReadingAtPath: journal) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 8)) == Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    }
}
