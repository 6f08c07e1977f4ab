import Backstitch
import BackstitchSQL
import Testing

@testable import BackstitchPostgreSQL
@testable import BackstitchSQLite

@Suite("Schema statements")
struct SQLSchemaTests {
    private static func model() throws -> ResolvedModel {
        try ResolvedModel(
            ManagedObjectModel([
                EntityDescription(
                    "Note",
                    [
                        .attribute("title", .string), .attribute("price", .decimal), .attribute("ratio", .double),
                        .attribute("created", .date), .attribute("done", .boolean),
                        .attribute("photo", .binary, external: true),
                        .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
                    ]),
                EntityDescription("Folder", [.attribute("raw", .binary), .toMany("notes", "Note", inverse: "folder")]),
                EntityDescription("Tag", [.attribute("token", .uuid), .toMany("notes", "Note", inverse: "tags")]),
            ]))
    }

    private static func entityStatements(_ dialect: some SQLDialect) throws -> [String] {
        try SQLSchema(model(), dialect: dialect).statements().filter { !$0.contains("backstitch_") }
    }

    @Test("SQLite tables live in their keys' trees unless rows hold bytes; to-ones and both ends of links have indexes")
    func sqlite() throws {
        #expect(
            try Self.entityStatements(.sqlite) == [
                #"CREATE TABLE "Note" ("_id" BLOB NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "title" TEXT, "price" TEXT, "#
                    + #""ratio", "created" INTEGER, "done" INTEGER, "photo" TEXT, "folder" BLOB) WITHOUT ROWID"#,
                #"CREATE INDEX "index.Note.folder" ON "Note" ("folder")"#,
                #"CREATE TABLE "Note.tags" ("source" BLOB NOT NULL, "target" BLOB NOT NULL, "#
                    + #"PRIMARY KEY ("source", "target")) WITHOUT ROWID"#,
                #"CREATE INDEX "index.Note.tags" ON "Note.tags" ("target", "source")"#,
                #"CREATE TABLE "Folder" ("_id" BLOB NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "raw" BLOB)"#,
                #"CREATE TABLE "Tag" ("_id" BLOB NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "token" BLOB) WITHOUT ROWID"#,
            ])
    }

    @Test("PostgreSQL tables use its own types")
    func postgreSQL() throws {
        let statements = try Self.entityStatements(.postgreSQL)
        #expect(
            statements[0]
                == #"CREATE TABLE "Note" ("_id" uuid NOT NULL PRIMARY KEY, "_version" bigint NOT NULL, "#
                + #""title" text COLLATE "C", "price" numeric, "ratio" double precision, "created" bigint, "done" boolean, "#
                + #""photo" text COLLATE "C", "folder" uuid)"#)
        #expect(statements.allSatisfy { !$0.contains("ROWID") && !$0.contains("BLOB") })
    }

    @Test("a family of entities has one table, with the columns of all and one that tells the entity")
    func family() throws {
        let model = try ResolvedModel(
            ManagedObjectModel([
                EntityDescription("Dog", parent: "Animal", unique: [["chip"]], [.attribute("chip", .string)]),
                EntityDescription("Animal", unique: [["name"]], [.attribute("name", .string)]),
            ]))
        let statements = try SQLSchema(model, dialect: .sqlite).statements().filter { !$0.contains("backstitch_") }
        #expect(
            statements == [
                #"CREATE TABLE "Animal" ("_id" BLOB NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "chip" TEXT, "name" TEXT, "#
                    + #""_entity" TEXT) WITHOUT ROWID"#,
                #"CREATE INDEX "index.Animal._entity" ON "Animal" ("_entity")"#,
                #"CREATE UNIQUE INDEX "unique.Animal.name" ON "Animal" ("name")"#,
                #"CREATE UNIQUE INDEX "unique.Animal.chip" ON "Animal" ("chip")"#,
            ])
    }

    @Test("unique constraints are unique indexes; names too long for PostgreSQL end in a hash")
    func uniqueIndexes() throws {
        let long = String(repeating: "n", count: 60)
        let model = try ResolvedModel(
            ManagedObjectModel([
                EntityDescription(
                    "Note", unique: [["a", "b"], [long]],
                    [.attribute("a", .string), .attribute("b", .date), .attribute(long, .string)])
            ]))
        let indexes = try SQLSchema(model, dialect: .postgreSQL).statements().filter { $0.contains("UNIQUE") }
        #expect(indexes[0] == #"CREATE UNIQUE INDEX "unique.Note.a+b" ON "Note" ("a", "b")"#)
        let name = try #require(indexes[1].split(separator: "\"").dropFirst().first)
        #expect(name.utf8.count <= 63 && name.hasPrefix("unique.Note.nnn"))
    }

    @Test(
        "names that the database or Backstitch takes are refused, all at once",
        arguments: [
            (SQLiteDialect() as any SQLDialect, ["backstitch_change", "SQLite_x"]),
            (PostgreSQLDialect(), ["backstitch_change"]),
        ])
    func reservedNames(_ dialect: any SQLDialect, _ refused: [String]) throws {
        let names = ["backstitch_change", "SQLite_x", "Fine"]
        let model = try ResolvedModel(
            ManagedObjectModel(names.map { EntityDescription($0, [.attribute("a", .string)]) }))
        let error = #expect(throws: BackstitchError.self) { try SQLSchema(model, dialect: dialect) }
        #expect(error?.code == .invalidModel)
        let faults = error.map { $0.faults.isEmpty ? [$0] : $0.faults } ?? []
        #expect(faults.compactMap(\.key) == refused)
    }
}
