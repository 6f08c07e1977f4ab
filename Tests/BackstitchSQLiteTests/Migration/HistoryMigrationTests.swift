import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("History over a migration")
struct HistoryMigrationTests {
    @Test("history tells of entities and properties by their new names, exchanged ones too, and no more than before")
    func renamed() throws {
        let first = ManagedObjectModel([
            EntityDescription("A", [.attribute("x", .string), .attribute("y", .string), .attribute("z", .string)]),
            EntityDescription("B", [.attribute("x", .string)]), EntityDescription("C", [.attribute("x", .string)]),
        ])
        let second = ManagedObjectModel([
            EntityDescription(
                "B", [.attribute("y", .string).renamed(from: "x"), .attribute("x", .string).renamed(from: "y")]
            ).renamed(from: "A"),
            EntityDescription("A", [.attribute("x", .string)]).renamed(from: "B"),
        ])
        let fixture = try StoreFixture(first)
        let store = try fixture.open()
        let key = fixture.generator.next(), other = fixture.generator.next(), gone = fixture.generator.next()
        try store.save {
            $0.inserts = [try fixture.rows("A", key), try fixture.rows("B", other), try fixture.rows("C", gone)]
        }
        try store.close()
        let file = DatabaseFile(url: fixture.file)
        try file.execute(
            "INSERT INTO backstitch_transaction (number, timestamp) VALUES (2, 0)",
            "UPDATE backstitch_counter SET value = 2",
            "INSERT INTO backstitch_change (transaction_number, position, entity, keys, kind, properties) "
                + "SELECT 2, position, entity, keys, 1, 'x,y,z' FROM backstitch_change WHERE entity = 'A'")
        let newer = try StoreFixture(second)
        try newer.open(at: fixture.file).close()
        let rows = try file.strings(
            "SELECT transaction_number || ' ' || entity || ' ' || kind || ' ' || ifnull(properties, '-') "
                + "FROM backstitch_change ORDER BY transaction_number, position")
        #expect(rows == ["1 B 0 -", "1 A 0 -", "2 B 1 y,x"])
        #expect(try file.strings("SELECT value FROM backstitch_counter") == ["2"])
    }
}
