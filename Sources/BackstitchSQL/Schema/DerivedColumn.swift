import Backstitch
import Foundation

/// A derived attribute as SQL: the expression of its value, and the tables that it depends on.
package struct DerivedColumn {
    /// A table that the value depends on.
    package struct Source {
        package let table: String
        /// The columns that it depends on; empty if the existence of rows matters.
        package let columns: [String]
        /// Whether it is the derived column's own table. A row there affects only itself.
        package let isOwn: Bool
        /// The condition for the rows whose derived column depends on a written row. The argument is the text before
        /// the names of the written row's columns.
        package let condition: @Sendable (String) -> String
    }

    /// The name of the column, for instance `Folder.noteCount`.
    let name: String
    private(set) var sources: [Source] = []
    private let table: String
    private let column: String
    private let kinds: String
    private let expression: String

    init(
        _ entity: ResolvedEntity, _ property: ResolvedProperty, _ derivation: Derivation, _ model: ResolvedModel,
        _ dialect: some SQLDialect
    ) {
        let builder = DerivedExpression(entity: entity, model: model, dialect: dialect)
        name = "\(SQLNames.table(of: entity)).\(property.columnName)"
        table = SQLNames.quoted(SQLNames.table(of: entity))
        column = SQLNames.quoted(property.columnName)
        expression = builder.text(derivation)
        sources = builder.sources(derivation)
        let names = StoreFetchRequest(entity: entity).entityNames ?? []
        kinds =
            names.isEmpty
            ? "1 = 1"
            : "\(table).\(SQLNames.quoted(EntityFamily.columnName)) IN (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
    }

    /// The statement that computes the column in the rows that satisfy a condition; nil for all rows.
    package func update(where condition: String?) -> String {
        "UPDATE \(table) SET \(column) = \(expression) WHERE \(kinds)" + (condition.map { " AND \($0)" } ?? "")
    }

    /// The query for the rows that satisfy a condition, to lock them.
    package func selection(where condition: String) -> String {
        "SELECT 1 FROM \(table) WHERE \(kinds) AND \(condition)"
    }
}

extension ResolvedEntity {
    /// The column of a property by its name. A missing property is a fault of the model that was found earlier; the
    /// name itself is returned then.
    fileprivate func columnName(_ name: String) -> String { property(named: name)?.columnName ?? name }
}

/// Writes the SQL expressions of derived attributes.
private struct DerivedExpression {
    let entity: ResolvedEntity
    let model: ResolvedModel
    let dialect: any SQLDialect

    private static let key = SQLNames.quoted(SQLNames.key)
    private var table: String { SQLNames.quoted(SQLNames.table(of: entity)) }

    /// The expression of a derivation.
    func text(_ derivation: Derivation) -> String {
        switch derivation {
        case .now: return dialect.now
        case .copy(let names, let folding):
            guard names.count == 2, let step = step(names[0]) else {
                return folded("\(table).\(SQLNames.quoted(entity.columnName(names[0])))", folding)
            }
            let value = folded("x.\(SQLNames.quoted(step.destination.columnName(names[1])))", folding)
            let order = step.relationship.storage == .column ? "" : " ORDER BY x.\(Self.key) LIMIT 1"
            return "(SELECT \(value) FROM \(step.from)\(order))"
        case .count(let name): return step(name).map { "(SELECT count(*) FROM \($0.from))" } ?? "NULL"
        case .sum(let name, let attribute):
            guard let step = step(name), let property = step.destination.property(named: attribute),
                let description = property.attribute
            else { return "NULL" }
            let predicates = dialect.predicates, kind = PlannedKind(description)
            let value = predicates.grouped(SQLFragment("x.\(SQLNames.quoted(property.columnName))"), kind)
            let zero = kind == .double ? "0.0" : kind == .decimal ? dialect.literal(Decimal(0)) : "0"
            return "coalesce((SELECT \(predicates.aggregate(.sum, value, kind).sql) FROM \(step.from)), \(zero))"
        }
    }

    /// The tables and columns that a derivation depends on.
    func sources(_ derivation: Derivation) -> [DerivedColumn.Source] {
        switch derivation {
        case .now: return [own([SQLNames.version])]
        case .copy(let names, _):
            guard names.count == 2, let step = step(names[0]) else { return [own(names.map(entity.columnName))] }
            return [own(step.relationship.storage == .column ? [step.property.columnName] : [])]
                + step.sources(names[1])
        case .count(let name): return [own([])] + (step(name)?.sources(nil) ?? [])
        case .sum(let name, let attribute): return [own([])] + (step(name)?.sources(attribute) ?? [])
        }
    }

    /// The row itself as a source: when it is new, or when these columns are written.
    private func own(_ columns: [String]) -> DerivedColumn.Source {
        let key = "\(table).\(Self.key)"
        return DerivedColumn.Source(table: SQLNames.table(of: entity), columns: columns, isOwn: true) {
            "\(key) = \($0)\(SQLNames.quoted(SQLNames.key))"
        }
    }

    private func step(_ name: String) -> DerivedStep? {
        guard let property = entity.property(named: name), let relationship = property.relationship else { return nil }
        return DerivedStep(entity: entity, property: property, relationship: relationship, model: model)
    }

    private func folded(_ text: String, _ folding: Derivation.Folding?) -> String {
        let dialect = dialect.predicates
        return switch folding {
        case nil: text
        case .canonical: dialect.folded(SQLFragment(text), [.caseInsensitive, .diacriticInsensitive]).sql
        case .lowercase: dialect.folded(SQLFragment(text), [.caseInsensitive]).sql
        case .uppercase: dialect.uppercased(SQLFragment(text)).sql
        }
    }
}

/// A relationship between a derived attribute and the rows that it is computed from.
private struct DerivedStep {
    let entity: ResolvedEntity
    let property: ResolvedProperty
    let relationship: ResolvedRelationship
    let model: ResolvedModel

    var destination: ResolvedEntity { model.destination(of: relationship) }

    private var table: String { SQLNames.quoted(SQLNames.table(of: entity)) }
    private var key: String { SQLNames.quoted(SQLNames.key) }
    private var inverse: String { SQLNames.quoted(model.inverse(of: relationship).columnName) }
    private var links: SQLLinkTable? { SQLLinkTable(of: property, in: entity, model: model) }

    /// The destinations of a row, as `x`.
    var from: String {
        let far = "\(SQLNames.quoted(SQLNames.table(of: destination))) AS x"
        guard let links else {
            let condition =
                relationship.storage == .column
                ? "x.\(key) = \(table).\(SQLNames.quoted(property.columnName))" : "x.\(inverse) = \(table).\(key)"
            return "\(far) WHERE \(condition)"
        }
        return "\(SQLNames.quoted(links.name)) AS l JOIN \(far) ON x.\(key) = l.\(SQLNames.quoted(links.far)) "
            + "WHERE l.\(SQLNames.quoted(links.near)) = \(table).\(key)"
    }

    /// The sources at the far end: the existence of rows, their links, and an attribute.
    func sources(_ attribute: String?) -> [DerivedColumn.Source] {
        let columns = [attribute].compactMap { $0.map(destination.columnName) }
        let far = SQLNames.table(of: destination)
        let (key, ownKey) = (key, "\(table).\(key)")
        guard let links else {
            if relationship.storage == .column {
                let column = "\(table).\(SQLNames.quoted(property.columnName))"
                return [DerivedColumn.Source(table: far, columns: columns, isOwn: false) { "\(column) = \($0)\(key)" }]
            }
            let inverse = inverse
            let columns = columns + [model.inverse(of: relationship).columnName]
            return [DerivedColumn.Source(table: far, columns: columns, isOwn: false) { "\(ownKey) = \($0)\(inverse)" }]
        }
        let (name, near, other) = (SQLNames.quoted(links.name), SQLNames.quoted(links.near), SQLNames.quoted(links.far))
        return [
            DerivedColumn.Source(table: links.name, columns: [], isOwn: false) { "\(ownKey) = \($0)\(near)" },
            DerivedColumn.Source(table: far, columns: columns, isOwn: false) {
                "\(ownKey) IN (SELECT l.\(near) FROM \(name) AS l WHERE l.\(other) = \($0)\(key))"
            },
        ]
    }
}
