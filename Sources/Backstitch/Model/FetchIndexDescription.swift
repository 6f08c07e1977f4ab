/// An index of a store over an entity's rows. With it, a fetch that filters or sorts by its elements need not look at
/// every row.
///
/// ```swift
/// EntityDescription("Note", [.attribute("title", .string), .attribute("created", .date), …])
///     .indexed("created")                                        // created > %@, and sorted by created either way
///     // title ==[c] %@, BEGINSWITH[c], IN[c], sorted without case
///     .indexed(.ascending("title", options: .caseInsensitive))
///     .indexed("isDone", .descending("created"))                 // isDone == NO, the newest first
/// ```
/// An index is a hint: it changes the speed of a fetch, never its result. It costs time at each write, and space. Links
/// of relationships and unique constraints always have indexes. Stores without indexes ignore it.
///
/// When a store is opened, it gets the indexes of the model and drops others. To build an index, the store reads all
/// rows once.
public struct FetchIndexDescription: Hashable, Sendable {
    /// The elements of the index, in the order of their significance. The index serves fetches by the first element, by
    /// the first and the second, and so on.
    public var elements: [FetchIndexElementDescription]

    /// Makes an index over elements.
    public init(_ elements: [FetchIndexElementDescription]) { self.elements = elements }
}

extension EntityDescription {
    /// The entity with a further index; see ``FetchIndexDescription``.
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
