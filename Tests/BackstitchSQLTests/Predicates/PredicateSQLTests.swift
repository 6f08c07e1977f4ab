import BackstitchSQL
import BackstitchTestKit
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Backstitch
@testable import BackstitchPostgreSQL

@Suite("SQL of predicates")
struct PredicateSQLTests {
    private let library: Library
    private let database: PredicateDatabase
    private let note: ResolvedEntity

    init() throws {
        var random = SeededGenerator(seed: 1)
        library = try Library.ofNotes(500, &random)
        database = try PredicateDatabase(library)
        note = try library.model.requireEntity(named: "Note")
    }

    @Test("more constants than a statement takes are an error that names both numbers")
    func tooManyConstants() throws {
        let format = Array(repeating: "size != 1", count: 40_000).joined(separator: " AND ")
        let error = #expect(throws: BackstitchError.self) {
            try database.keys(of: note, where: FetchPredicate(format: format))
        }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.message.contains("40000") == true && error?.message.contains("32700") == true)
        // The same number of integers in a list needs one placeholder.
        #expect(try database.count(of: note, where: Key<Int>("size").isIn(0..<40_000)) == 500)
    }

    @Test("a store plans no predicate that has its plan already")
    func plannedOnce() throws {
        let resolved = try FetchPredicate(format: "size == 3").resolved(for: note, in: library.model)
        guard case .comparison(let planned) = resolved else { throw TestFailure("no comparison") }
        // This comparison cannot be planned: only the plan that it brings can answer.
        var comparison = FetchComparison(.keyPath("missing"), .equal, .value(.int(1)))
        let error = #expect(throws: BackstitchError.self) {
            try database.keys(of: note, where: .comparison(comparison))
        }
        #expect(error?.code == .invalidPredicate)
        comparison.plan = planned.plan
        let found = try database.keys(of: note, where: .not(.and([.comparison(comparison)])))
        let expected = try database.keys(of: note, where: FetchPredicate(format: "NOT size == 3"))
        #expect(found == expected && !found.isEmpty)
    }

    @Test("plain comparisons use an index on the column, wherever they are not negated")
    func indexes() throws {
        try database.queue.write { database in
            try database.execute(
                sql: """
                    CREATE INDEX note_title ON Note(title); CREATE INDEX note_size ON Note(size);
                    CREATE INDEX note_price ON Note(price COLLATE backstitch_decimal); CREATE INDEX note_folder ON Note(folder);
                    CREATE INDEX folder_name ON Folder(name);
                    """)
        }
        let folder = ObjectID(entityName: "Folder", key: ObjectKey(high: 1, low: 1))
        for (format, index, arguments) in [
            ("title == 'a'", "note_title", []), ("title BEGINSWITH 'a'", "note_title", []),
            ("title IN {'a', 'b'}", "note_title", []), ("size > 3", "note_size", []),
            ("size BETWEEN {1, 2}", "note_size", []),
            ("size IN %@", "note_size", [Array(0..<1000)]), ("size == 3 AND NOT body == 'x'", "note_size", []),
            ("price < 2.5", "note_price", []), ("price == 2", "note_price", []),
            ("folder == %@", "note_folder", [folder]),
            ("folder == nil", "note_folder", []), ("folder.name == 'a'", "folder_name", []),
            (
                "SELF == %@", "PRIMARY KEY",
                [
                    ObjectID(entityName: "Note", key: folder.key)
                ]
            ),
        ] as [(String, String, [any PredicateArgument])] {
            let selection = try database.selection(
                of: note, where: FetchPredicate(format: format, arguments: arguments))
            let plan = try database.plan(selection.countStatement())
            #expect(plan.contains { $0.contains("SEARCH") && $0.contains(index) }, "\(format): \(plan)")
        }
    }

    @Test("paths are joined once for condition and order, and a prefix is a range")
    func statement() throws {
        let predicate = try FetchPredicate(
            format: "folder.name BEGINSWITH 'a' AND folder.rank > 2 AND NOT title == nil")
        let selection = try database.selection(
            of: note, where: predicate, sortedBy: [.descending("folder.name"), .ascending("price")], limit: 3, offset: 1
        )
        let fragment = selection.statement(columns: "t0.\"_id\"")
        #expect(
            fragment.sql == """
                SELECT t0."_id" FROM "Note" AS t0 LEFT JOIN "Folder" AS t1 ON t1."_id" = t0."folder" \
                WHERE ((t1."name" >= ? AND t1."name" < ?) AND t1."rank" > ? AND t0."title" IS NOT NULL) \
                ORDER BY t1."name" DESC, t0."price" COLLATE backstitch_decimal, t0."_id" LIMIT ? OFFSET ?
                """)
        #expect(fragment.bindings == [.string("a"), .string("b"), .int(2), .int(3), .int(1)])
        var statement = SQLStatement(.postgreSQL)
        statement.append(fragment)
        #expect(statement.text.hasSuffix("LIMIT $4 OFFSET $5"))
        #expect(statement.parameters.count == 5)
    }

    @Test("text of users is bound, never part of a statement")
    func noInjection() throws {
        let hostile = "'; DROP TABLE \"Note\"; --\"?"
        for symbol in ["==", "!=", "CONTAINS[cd]", "BEGINSWITH", "ENDSWITH[c]", "LIKE", "<", "IN"] {
            let argument: any PredicateArgument = symbol == "IN" ? [hostile] : hostile
            let predicate = try FetchPredicate(format: "title \(symbol) %@", argument)
            let selection = try database.selection(of: note, where: predicate)
            #expect(!selection.statement(columns: "t0._id").sql.contains("DROP"))
            #expect(try database.count(of: note, where: predicate) == (symbol == "!=" ? 500 : symbol == "<" ? 0 : 0))
        }
        #expect(try database.count(of: note, where: nil) == 500)
    }
}

@Suite("size of predicates in SQL")
struct PredicateSizeTests {
    private let database: PredicateDatabase
    private let note: ResolvedEntity

    init() throws {
        let library = try Library()
        var random = SeededGenerator(seed: 1)
        let parent = try library.insert("Note", key: random.key())
        try parent.set("size", .int(7))
        let child = try library.insert("Note", key: random.key())
        try child.set("parent", .object(parent.objectID))
        library.connect()
        database = try PredicateDatabase(library)
        note = try library.model.requireEntity(named: "Note")
    }

    @Test("10,000 comparisons side by side work")
    func wide() throws {
        let parts = (0..<10_000).map { Key<Int>("size") == $0 }
        #expect(try database.count(of: note, where: .or(parts)) == 1)
        #expect(try database.count(of: note, where: .and(parts.map { !$0 })) == 1)
    }

    @Test("predicates as deep as they may be work, and deeper ones are an error")
    func deep() throws {
        let deepest = try nested(FetchPredicate.maximumDepth)
        #expect(try database.count(of: note, where: deepest) == 1)
        let deeper = try nested(FetchPredicate.maximumDepth + 1)
        let error = #expect(throws: BackstitchError.self) { try database.keys(of: note, where: deeper) }
        #expect(error?.code == .invalidPredicate)
    }

    /// `AND` in `OR` in `AND`, with a term before and after at each level.
    private func nested(_ depth: Int) throws -> FetchPredicate {
        var predicate = Key<Int>("size") == 7
        for level in 0..<depth {
            predicate =
                level % 2 == 0
                ? .and([Key<Int>("size") > 1, predicate, Key<Int>("size") < 9])
                : .or([Key<Int>("size") < 1, predicate, Key<Int>("size") > 9])
        }
        return predicate
    }

    @Test("subqueries as deep as they may be work, and deeper ones are an error")
    func deepSubqueries() throws {
        #expect(try database.count(of: note, where: subqueries(6)) == 2)
        let error = #expect(throws: BackstitchError.self) { try database.keys(of: note, where: subqueries(7)) }
        #expect(error?.message.contains("6 levels") == true)
    }

    private func subqueries(_ depth: Int) throws -> FetchPredicate {
        var inner = "$v\(depth).size == 7 OR $v\(depth).parent.size == 7"
        for level in (1...depth).reversed() {
            let collection = level == 1 ? "children" : "$v\(level - 1).friends"
            inner =
                "(SUBQUERY(\(collection), $v\(level), \(inner)).@count \(level % 2 == 0 ? "> 2" : "< 5") OR FALSEPREDICATE)"
        }
        return try FetchPredicate(format: inner)
    }

    @Test("more relationships than SQLite joins are an error")
    func manyJoins() throws {
        let names = (1...61).map { Array(repeating: "parent", count: $0) + ["size"] }
        let parts = names.map {
            FetchPredicate.comparison(FetchComparison(.keyPath(FetchKeyPath(names: $0)), .equal, .value(.null)))
        }
        let error = #expect(throws: BackstitchError.self) { try database.keys(of: note, where: .and(parts)) }
        #expect(error?.code == .invalidPredicate)
        #expect(try database.count(of: note, where: .and(Array(parts.prefix(59)))) == 1)
    }
}
