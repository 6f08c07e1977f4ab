extension PropertyDescription {
    /// The attribute, with its value kept in history after its object is deleted. Readers of history may need it to
    /// know which object of another system was deleted.
    ///
    /// ```swift
    /// .attribute("serialNumber", .string).preservedInHistory()
    /// ```
    /// A relationship is returned unchanged: history reports the objects at its other end anyway.
    public func preservedInHistory() -> PropertyDescription {
        guard case .attribute(var attribute) = self else { return self }
        attribute.preservesValueInHistoryOnDeletion = true
        return .attribute(attribute)
    }
}
