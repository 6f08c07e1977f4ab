package import Backstitch

/// The link table of a many-to-many relationship, as one of its sides sees it.
package struct SQLLinkTable: Hashable, Sendable {
    /// The unquoted name of the table.
    package let name: String
    /// The column that holds the key of this side.
    package let near: String
    /// The column that holds the key of the other side.
    package let far: String

    /// The link table of a property of `entity`; nil when a column keeps its links.
    package init?(of property: ResolvedProperty, in entity: ResolvedEntity, model: ResolvedModel) {
        guard let relationship = property.relationship else { return nil }
        switch relationship.storage {
        case .column, .inverseColumn:
            return nil
        case .ownedLinks:
            name = SQLNames.linkTable(owner: entity, property: property)
            near = SQLNames.source
            far = SQLNames.target
        case .inverseLinks:
            name = SQLNames.linkTable(
                owner: model.destination(of: relationship), property: model.inverse(of: relationship))
            near = SQLNames.target
            far = SQLNames.source
        }
    }
}
