package import Backstitch

/// The parts of an object that sync compares: the values of its columns, and the targets of the links that it owns.
package struct RecordImage: Sendable, Hashable {
    /// The values, in the order of the columns.
    package var values: [Value]
    /// The targets by slot of the relationship, in rising order; each owned relationship has an entry.
    package var links: [Int: [ObjectKey]]

    /// Creates an image of an object.
    package init(values: [Value], links: [Int: [ObjectKey]]) {
        self.values = values
        self.links = links
    }

    /// Returns the content of a property, in the form of a merge base.
    func content(of property: ResolvedProperty) -> OutboxEntry.Base {
        property.slot < values.count ? .value(values[property.slot]) : .links(links[property.slot] ?? [])
    }
}

extension ResolvedEntity {
    /// The properties in a record of this entity: its columns, and the to-many relationships that it owns.
    package var syncedProperties: [ResolvedProperty] { ownProperties.filter(\.isSynced) }

    /// The to-many relationships in a record of this entity.
    package var ownedLinks: [ResolvedProperty] { ownProperties.filter { $0.relationship?.storage == .ownedLinks } }
}

extension ResolvedProperty {
    /// Whether the property is part of its entity's record.
    package var isSynced: Bool {
        guard let relationship else {
            guard let attribute else { return false }
            return !attribute.isTransient && attribute.derivation == nil && attribute.syncDirection != .none
        }
        return relationship.storage == .column || relationship.storage == .ownedLinks
    }
}
