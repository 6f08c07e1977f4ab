import Backstitch
import BackstitchSQL
import Foundation
import GRDB
import TestSupport

@testable import BackstitchSQLite

/// A library's rows in SQLite, in tables made by hand, with the functions registered as a store does.
struct PredicateDatabase {
    let queue: DatabaseQueue
    let model: ResolvedModel

    init(_ library: Library) throws {
        model = library.model
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            database.add(function: Self.fold)
            database.add(function: Self.matches)
            database.add(function: Self.decimal)
            database.add(collation: Self.decimalCollation)
        }
        queue = try DatabaseQueue(configuration: configuration)
        try queue.write { database in
            for entity in library.model.entities {
                try database.execute(sql: Self.table(entity))
                for object in library.objects[entity.name] ?? [] { try Self.insert(object, database) }
            }
            for entity in library.model.entities {
                for property in entity.relationships where property.relationship?.storage == .ownedLinks {
                    let name = "\(entity.name).\(property.name)"
                    try database.execute(
                        sql:
                            "CREATE TABLE \"\(name)\" (source BLOB, target BLOB, PRIMARY KEY (source, target)) WITHOUT ROWID"
                    )
                    for (source, target) in library.links[name] ?? [] {
                        try database.execute(
                            sql: "INSERT INTO \"\(name)\" VALUES (?, ?)",
                            arguments: [Value.object(source.objectID).column, Value.object(target.objectID).column])
                    }
                }
            }
        }
    }

    /// The keys of the rows that a fetch gives.
    func keys(
        of entity: ResolvedEntity, where predicate: FetchPredicate?, sortedBy descriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> [ObjectKey] {
        let selection = try selection(of: entity, where: predicate, sortedBy: descriptors, limit: limit, offset: offset)
        return try rows(selection.statement(columns: "t0.\"_id\"")).map { row in
            let data: Data = row[0]
            return data.withUnsafeBytes { ObjectKey(bigEndianBytes: $0) }
        }
    }

    func count(of entity: ResolvedEntity, where predicate: FetchPredicate?, limit: Int? = nil, offset: Int = 0) throws
        -> Int
    {
        let selection = try selection(of: entity, where: predicate, limit: limit, offset: offset)
        return try rows(selection.countStatement()).first?[0] ?? -1
    }

    func selection(
        of entity: ResolvedEntity, where predicate: FetchPredicate?, sortedBy descriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws -> SQLRowSelection {
        try SQLPredicateBuilder(model: model, dialect: SQLiteDialect().predicates)
            .selection(of: entity, where: predicate, sortedBy: descriptors, limit: limit, offset: offset)
    }

    func rows(_ fragment: SQLFragment) throws -> [Row] {
        try queue.read { database in
            try Row.fetchAll(
                database, sql: fragment.sql, arguments: StatementArguments(fragment.bindings.map(\.column)))
        }
    }

    /// SQLite's plan of a statement, a line a step.
    func plan(_ fragment: SQLFragment) throws -> [String] {
        try rows("EXPLAIN QUERY PLAN " + fragment).map { $0["detail"] }
    }
}

extension PredicateDatabase {
    private static let fold = DatabaseFunction(SQLiteFunctions.fold, argumentCount: 2, pure: true) { values in
        SQLFunctions.fold(String.fromDatabaseValue(values[0]), flags: Int64.fromDatabaseValue(values[1]) ?? 0)
    }

    private static let matches = DatabaseFunction(SQLiteFunctions.matches, argumentCount: 3, pure: true) { values in
        try SQLFunctions.matches(
            String.fromDatabaseValue(values[0]), String.fromDatabaseValue(values[1]),
            flags: Int64.fromDatabaseValue(values[2]) ?? 0)
    }

    private static let decimal = DatabaseFunction(SQLiteFunctions.decimal, argumentCount: 1, pure: true) { values in
        SQLFunctions.decimal(Double.fromDatabaseValue(values[0]))
    }

    private static let decimalCollation = DatabaseCollation(SQLiteFunctions.decimalCollation) { left, right in
        let order = SQLFunctions.compareDecimals(left, right)
        return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
    }

    private static func table(_ entity: ResolvedEntity) -> String {
        let columns = entity.columns.map { property in
            let type =
                switch property.attribute?.type {
                case nil, .uuid, .transformable: "BLOB"
                case .integer16, .integer32, .integer64, .boolean, .date: "INTEGER"
                case .double, .float: ""
                case .string, .uri, .decimal: "TEXT"
                case .binary: property.attribute?.allowsExternalStorage == true ? "TEXT" : "BLOB"
                }
            return "\"\(property.name)\" \(type)"
        }
        return
            "CREATE TABLE \"\(entity.name)\" (\"_id\" BLOB PRIMARY KEY, \(columns.joined(separator: ", "))) WITHOUT ROWID"
    }

    private static func insert(_ object: LibraryObject, _ database: Database) throws {
        let values = [Value.object(object.objectID)] + object.values
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try database.execute(
            sql: "INSERT INTO \"\(object.entity.name)\" VALUES (\(places))",
            arguments: StatementArguments(values.map(\.column)))
    }
}

extension Value {
    /// The value as SQLite keeps it.
    var column: DatabaseValue {
        switch self {
        case .null: .null
        case .bool(let value): value.databaseValue
        case .int(let value): value.databaseValue
        case .double(let value): value.isNaN ? .null : value.databaseValue
        case .decimal(let value): value.canonicalText.databaseValue
        case .string(let value): value.databaseValue
        case .date(let value): value.milliseconds.databaseValue
        case .data(let value): value.databaseValue
        case .uuid(let value): ObjectKey(value).column
        case .uri(let value): value.absoluteString.databaseValue
        case .asset(let value): value.text.databaseValue
        case .file(let value): value.reference.text.databaseValue
        case .object(let value): value.key.column
        }
    }
}

extension ObjectKey {
    fileprivate var column: DatabaseValue { withBytes { Data($0) }.databaseValue }
}
