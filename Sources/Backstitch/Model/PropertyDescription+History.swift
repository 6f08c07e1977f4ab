extension PropertyDescription {
    /// The attribute, with its value kept in history when its object is deleted: for readers of history who must know
    /// which object of another system went.
    ///
    /// ```swift
    /// .attribute("serialNumber", .string).preservedInHistory()
    /// ```
    /// A relationship stays as it is: history tells of the objects at its other end themselves.
    public func preservedInHistory() -> PropertyDescription {
        guard case .attribute(var attribute) = self else { return self }
        attribute.preservesValueInHistoryOnDeletion = true
        return .attribute(attribute)
    }
}
