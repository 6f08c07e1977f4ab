/// An element of an index, and the column that it orders.
package struct ResolvedIndexElement: Sendable {
    /// The column.
    package let property: ResolvedProperty
    /// The element as the model describes it.
    package let description: FetchIndexElementDescription

    init(_ property: ResolvedProperty, _ description: FetchIndexElementDescription) {
        self.property = property
        self.description = description
    }
}
