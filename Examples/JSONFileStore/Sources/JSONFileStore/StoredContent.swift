import Backstitch
import Foundation

/// The form of the file. Values are kept by their names, so that the order of properties in the model may change. Nulls
/// are left out.
struct StoredContent: Codable {
    static let format = "Backstitch JSON file store"
    static let version = 1

    /// The fields that every version of the format has. They are read before the rest.
    struct Header: Codable {
        var format: String
        var version: Int
    }

    struct Row: Codable {
        var entity: String
        var key: UUID
        var version: Int64
        var values: [String: JSONCell]
    }

    var format = Self.format
    var version = Self.version
    var identifier: UUID
    var transaction: Int64
    var model: StoreSchema
    /// The rows of each table, by the table's name.
    var rows: [String: [Row]] = [:]
    /// Pairs of source and target, by `Entity.relationship` of the owning side.
    var links: [String: [[UUID]]] = [:]

    init(_ content: StoreContent, _ schema: StoreSchema) throws {
        identifier = content.identifier
        transaction = content.transactionNumber
        model = schema
        for entity in content.model.entities where entity.isRoot {
            let table = content.tables[StoreContent.table(of: entity)] ?? [:]
            rows[entity.name] = table.sorted { $0.key < $1.key }.map { key, row in
                let cells = entity.columns.compactMap { column in
                    JSONCell(row.values[column.slot]).map { (column.columnName, $0) }
                }
                return Row(
                    entity: row.entityName, key: key.uuid, version: row.version,
                    values: Dictionary(uniqueKeysWithValues: cells))
            }
            for property in entity.properties where property.relationship?.storage == .ownedLinks {
                let name = StoreContent.linkTable(of: property, in: entity)
                links[name] = (content.links[name]?.targets ?? [:]).sorted { $0.key < $1.key }.flatMap {
                    source, targets in targets.sorted().map { [source.uuid, $0.uuid] }
                }
            }
        }
    }

    /// Returns the content, in the layout of a model with this schema.
    ///
    /// - Throws: A ``BackstitchError`` that names the damaged place, like a `DecodingError`.
    func content(model: ResolvedModel) throws -> StoreContent {
        var content = StoreContent(model: model, identifier: identifier)
        content.transactionNumber = transaction
        for (table, rows) in rows {
            let entity = try model.requireEntity(named: table)
            for row in rows {
                let values = try entity.columns.map { column in
                    try row.values[column.columnName].map { try $0.value(of: column, row.key) } ?? .null
                }
                let row = (row.key, StoreContent.Row(entityName: row.entity, version: row.version, values: values))
                content.put(row.1, ObjectKey(row.0), of: entity)
            }
        }
        for (name, pairs) in links {
            let names = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard names.count == 2 else { throw Self.damaged("the links \(name)") }
            let entity = try model.requireEntity(named: names[0])
            guard let property = entity.properties.first(where: { $0.columnName == names[1] }),
                pairs.allSatisfy({ $0.count == 2 })
            else { throw Self.damaged("the links \(name)") }
            let added = pairs.map { LinkChange.Link(source: ObjectKey($0[0]), target: ObjectKey($0[1])) }
            content.apply(LinkChange(entity: entity, property: property, added: added))
        }
        return content
    }

    static func damaged(_ place: String) -> BackstitchError {
        BackstitchError(.storeFailure, "\(place) cannot be read")
    }
}
