/// An element of an index, with its column.
package struct ResolvedIndexElement: Sendable {
    /// The property with the indexed column.
    package let property: ResolvedProperty
    /// The element as the model describes it.
    package let description: FetchIndexElementDescription

    init(_ property: ResolvedProperty, _ description: FetchIndexElementDescription) {
        self.property = property
        self.description = description
    }
}
