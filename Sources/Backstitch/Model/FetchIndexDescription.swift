/// An index that a store keeps over an entity's rows, so that fetches which ask or sort by its elements need not look
/// at every row.
///
/// ```swift
/// EntityDescription("Note", [.attribute("title", .string), .attribute("created", .date), …])
///     .indexed("created")                                        // created > %@, and sorted by created either way
///     // title ==[c] %@, BEGINSWITH[c], IN[c], sorted without case
///     .indexed(.ascending("title", options: .caseInsensitive))
///     .indexed("isDone", .descending("created"))                 // isDone == NO, the newest first
/// ```
/// An index is a hint: it changes how fast a fetch is, never what it gives. It costs time with each write, and room.
/// Links of relationships and unique constraints have indexes anyway. Stores that know no indexes take no notice.
///
/// A store is given the indexes of the model that it is opened with, and loses others; to make one, the store looks at
/// all rows once.
public struct FetchIndexDescription: Hashable, Sendable {
    /// The elements that it is ordered by, first the first. It serves fetches by the first element, by the first and
    /// the second, and so on.
    public var elements: [FetchIndexElementDescription]

    /// An index over elements.
    public init(_ elements: [FetchIndexElementDescription]) { self.elements = elements }
}

extension EntityDescription {
    /// The entity with an index; see ``FetchIndexDescription``.
    ///
    /// ```swift
    /// Note.entityDescription.indexed("folder", .descending("created"))
    /// ```
    public func indexed(_ elements: FetchIndexElementDescription...) -> EntityDescription {
        var entity = self
        entity.indexes.append(FetchIndexDescription(elements))
        return entity
    }
}
