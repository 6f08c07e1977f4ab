import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("the log of a store beside another state of the file")
struct ForeignLogTests {
    @Test("a restored file is refused beside the log of a crash; nothing is changed, and the message has the way out")
    func restored() throws {
        let fixture = try StoreFixture(), entity = try fixture.entity("Author")
        let place = LogPlace(fixture), backup = fixture.folder.appending(path: "backup.sqlite")
        let first = try fixture.open()
        try first.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next(), ["name": "a"])] }
        try first.close()
        try FileManager.default.copyItem(at: fixture.file, to: backup)
        // Each opening begins a log. The first one is moved into the file.
        for name in ["b", "c"] {
            let store = try fixture.open()
            try store.save {
                $0.inserts = [try fixture.rows("Author", fixture.generator.next(), ["name": .string(name)])]
            }
            if name == "c" { try place.copy(file: fixture.file, logOf: fixture.file) }
            try store.close()
        }
        let crashed = try place.contents()
        try place.write(file: Data(contentsOf: backup), log: crashed[1])
        let before = try place.contents()
        for isReadOnly in [false, true] {
            let error = try #require(throws: BackstitchError.self) {
                try SQLiteStore(
                    StoreConfiguration(
                        model: fixture.model, url: place.file, options: fixture.configuration(place.file).options,
                        isReadOnly: isReadOnly)
                ).close()
            }
            #expect(error.code == .storeMoved && error.message.contains(place.file.path + "-wal"), "\(error)")
            #expect(error.message.contains("move the log to another folder"), "\(error)")
            #expect(try place.contents() == before)
        }
        // Each way out of the message.
        try place.moveLog(to: fixture.folder.appending(path: "aside"))
        let old = try fixture.open(at: place.file)
        #expect(try old.all(entity).count == 1)
        try old.close()
        try place.write(file: crashed[0], log: crashed[1])
        let store = try fixture.open(at: place.file)
        #expect(try store.all(entity).count == 3)
        try store.close()
    }

    @Test("the first file of a new store is refused beside a later log")
    func first() throws {
        let fixture = try StoreFixture(), place = LogPlace(fixture)
        try fixture.open().close()
        let new = try Data(contentsOf: fixture.file)
        for name in ["a", "b"] {
            let store = try fixture.open()
            try store.save {
                $0.inserts = [try fixture.rows("Author", fixture.generator.next(), ["name": .string(name)])]
            }
            if name == "b" { try place.copy(file: fixture.file, logOf: fixture.file) }
            try store.close()
        }
        try place.write(file: new, log: place.contents()[1])
        let error = try #require(throws: BackstitchError.self) { try fixture.open(at: place.file).close() }
        #expect(error.code == .storeMoved, "\(error)")
    }

    @Test(
        "after any saves, openings, crashes and readers an own log is read, and one of another state is refused",
        arguments: LogWalk.Others.allCases)
    func walks(_ others: LogWalk.Others) throws {
        let seed = SeededGenerator.seed()
        print("BACKSTITCH_SEED=\(seed) repeats the walks over files and logs, \(others)")
        var refused = 0, taken = 0
        for number in 0..<Effort.size("LOG_WALKS", usual: 6, whole: 40) {
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            let walk = try LogWalk(others)
            for step in 0..<60 {
                try walk.step(&random)
                guard step % 6 == 5 else { continue }
                let counts = try walk.check("seed \(seed), walk \(number), step \(step)")
                refused += counts.refused
                taken += counts.taken
            }
            try walk.end()
        }
        print("counted: files beside logs, \(others): \(refused) refused, \(taken) taken")
        #expect(taken > 20 && (refused > 20 || others == .programs), "refused \(refused), taken \(taken)")
    }
}
