import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Reading from a SQLite store")
struct ReadingTests {
    @Test("negative limits and offsets are refused")
    func ranges() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory(), entity = try fixture.entity("Author")
        for request in [StoreFetchRequest(entity: entity, limit: -1), StoreFetchRequest(entity: entity, offset: -1)] {
            let error = #expect(throws: BackstitchError.self) { try store.fetch(request) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("many threads read while others save, and see whole saves only")
    func wholeSaves() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let keys = fixture.keys(40)
        try store.save { $0.inserts = [try fixture.rows("Numbers", keys.map { ($0, ["n0": 0]) })] }
        let numbers = try fixture.entity("Numbers")
        let isDone = Locked(false), reads = Locked(0)
        let threads = Threads()
        for reader in 0..<8 {
            threads.start {
                var seen: Int64 = 0
                while !isDone.withLock({ $0 }) {
                    let rows =
                        reader % 2 == 0
                        ? try store.all(numbers) : try store.readJournal { try $0.rows(of: numbers, keys: keys) }
                    let values = Set((0..<rows.count).map { rows.int($0, 0) })
                    guard rows.count == 40, values.count == 1, let value = values.first, value >= seen else {
                        throw BackstitchError(.internalInconsistency, "a reader saw \(values) after \(seen)")
                    }
                    seen = value
                    reads.withLock { $0 += 1 }
                }
            }
        }
        threads.start {
            defer { isDone.withLock { $0 = true } }
            for round in 1...150 {
                let read = try store.all(numbers)
                try store.save { $0.updates = [fixture.update(read) { _ in ["n0": .int(Int64(round))] }] }
            }
        }
        try threads.join()
        #expect(reads.withLock { $0 } > 100)
        #expect(try store.all(numbers).int(39, 0) == 150)
    }

    @Test("a loop over a statement's rows is not disturbed by the same statement inside it")
    func nestedStatement() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.keys(5).map { ($0, [:]) })] }
        let query = EntityStatements(try fixture.entity("Author"), dialect: .sqlite).allKeys
        var pairs = 0
        try store.database.read(isSnapshot: true) { connection in
            try connection.forEachRow(of: query) { _ in try connection.forEachRow(of: query) { _ in pairs += 1 } }
        }
        #expect(pairs == 25)
    }

    @Test("closing waits for readers, and those that come later are refused")
    func closingUnderLoad() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.keys(2_000).map { ($0, [:]) })] }
        let entity = try fixture.entity("Author")
        let reads = Locked(0)
        let threads = Threads()
        for _ in 0..<6 {
            threads.start {
                do {
                    while true {
                        guard try store.all(entity).count == 2_000 else {
                            throw BackstitchError(.storeFailure, "rows are missing")
                        }
                        reads.withLock { $0 += 1 }
                    }
                } catch let error as BackstitchError where error.code == .storeClosed {}
            }
        }
        threads.start {
            while reads.withLock({ $0 }) < 12 { Thread.sleep(forTimeInterval: 0.001) }
            try store.close()
        }
        try threads.join()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["store.sqlite"])
    }

    @Test("statements of fetches stay prepared once they come again, and only so many")
    func admission() {
        let admission = StatementCachePolicy()
        #expect(!admission.admits("a"))
        #expect(admission.admits("a"))
        #expect(admission.admits("a"))
        for number in 0..<2_000 { #expect(!admission.admits("once \(number)")) }
        let admitted = (0..<2_000).count { number in
            _ = admission.admits("twice \(number)")
            return admission.admits("twice \(number)")
        }
        #expect(admitted == 511)
    }
}
