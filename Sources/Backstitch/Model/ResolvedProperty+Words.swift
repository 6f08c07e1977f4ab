extension ResolvedProperty {
    /// The kind of the property, for messages: `a to-many relationship`, `an attribute (string)`.
    var words: String {
        guard let relationship else { return "an attribute (\(attribute.map { "\($0.type)" } ?? "of no type"))" }
        return relationship.isToMany ? "a to-many relationship" : "a to-one relationship"
    }
}
