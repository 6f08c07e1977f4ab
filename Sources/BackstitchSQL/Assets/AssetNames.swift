package import Backstitch

/// Finds the names of all bytes that a store uses: in its rows, and as merge bases in its outbox. History keeps no
/// values of external attributes.
package struct AssetNames {
    private let connection: any SQLConnection
    private let model: ResolvedModel

    /// Creates a finder for a store with the tables of `model`.
    package init(_ connection: any SQLConnection, model: ResolvedModel) {
        self.connection = connection
        self.model = model
    }

    /// Returns all names in the store.
    ///
    /// - Complexity: O(rows of entities with external attributes, entries of the outbox).
    package func all() throws -> Set<AssetReference> {
        var names: Set<AssetReference> = []
        for place in Set(model.entities.flatMap(Self.places)) {
            let column = SQLNames.quoted(place.column)
            let statement = SQLStatement(
                connection.dialect,
                "SELECT DISTINCT \(column) FROM \(SQLNames.quoted(place.table)) WHERE \(column) IS NOT NULL")
            try connection.forEachRow(of: statement) { row in
                let text = row.text(0)
                guard let name = AssetReference(text: text) else {
                    throw BackstitchError(
                        .storeFailure, "\"\(text)\" in \(place.table) names no asset; restore the store from a backup")
                }
                names.insert(name)
            }
        }
        let statement = SQLStatement(
            connection.dialect, "SELECT fields FROM \(SystemTables.outbox) WHERE fields IS NOT NULL")
        try connection.forEachRow(of: statement) { row in
            for field in try OutboxFieldCoding.decode(row.bytes(0)) {
                if case .value(.asset(let name)) = field.base { names.insert(name) }
            }
        }
        return names
    }

    private struct Place: Hashable {
        let table: String, column: String
    }

    private static func places(of entity: ResolvedEntity) -> [Place] {
        entity.externalColumns.map {
            Place(table: SQLNames.table(of: entity), column: entity.properties[$0].columnName)
        }
    }
}
