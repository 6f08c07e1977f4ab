extension ResolvedModel {
    /// The columns of an entity that keep orders: lists of keys, and ranks of its objects.
    func orderColumns(of entity: ResolvedEntity) -> PropertySet {
        var columns = PropertySet()
        for relationship in entity.relationships.lazy.compactMap(\.relationship) {
            let slot =
                switch relationship.storage {
                case .ownedLinks, .inverseLinks: relationship.orderSlot
                case .column: inverse(of: relationship).relationship?.orderSlot
                case .inverseColumn: nil as Int?
                }
            if let slot { columns.insert(slot) }
        }
        return columns
    }
}
