extension ResolvedEntity {
    /// A table as if it were an entity: columns of any names, each with values as the attribute has them. For reading
    /// rows that no entity of the model has.
    package convenience init(table name: String, columns: [(name: String, attribute: AttributeDescription)]) {
        let properties = columns.enumerated().map { slot, column in
            ResolvedProperty(name: column.name, slot: slot, attribute: column.attribute, relationship: nil)
        }
        self.init(
            name: name, index: 0, properties: properties, columnCount: properties.count,
            managedObjectClass: ManagedObject.self)
    }
}
