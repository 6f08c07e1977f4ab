extension ResolvedEntity {
    /// Makes an entity of a table: columns of any names, each with values as its attribute has them. It serves to read
    /// rows of tables outside the model.
    package convenience init(table name: String, columns: [(name: String, attribute: AttributeDescription)]) {
        let properties = columns.enumerated().map { slot, column in
            ResolvedProperty(name: column.name, slot: slot, attribute: column.attribute, relationship: nil)
        }
        self.init(
            name: name, index: 0, properties: properties, columnCount: properties.count,
            managedObjectClass: ManagedObject.self)
    }
}
